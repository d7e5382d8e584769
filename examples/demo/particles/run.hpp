// run.hpp - the particles on the nodes of the job, once with each balancer, each time held against a serial loop.
//
// Threads     called inside run() of node 0; the others have only to be there.
// Errors      W35 where a particle is not where the serial loop has it, W36 where the box cannot be cut so, W37 where a
//             law is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "demo/particles/node_loads.hpp"
#include "demo/particles/typed_options.hpp"

namespace particles {

struct request {
  problem what;
  cut patches;
  std::uint32_t each = 5;  // steps between rounds of balancing
  std::vector<choice> balancers;
  /// Saved before each round, and gone on from if it is there: of one balancer. Empty: nothing is saved.
  std::filesystem::path checkpoint = {};
};

struct measured {
  std::string balancer;
  double seconds = 0;
  std::size_t rounds = 0, moves = 0;
  imbalances loads = {};
  std::uint32_t from = 0;  // the step that it went on from, of a checkpoint
};

struct report {
  problem what;
  cut patches;
  std::uint32_t each = 5, nodes = 1, workers = 1;  // workers of each node
  double serial_seconds = 0;
  double energy_change = 0;  // of each particle
  std::vector<measured> runs = {};

  /// Steps that summaries leave out: those before the third round.
  std::size_t warm_up() const { return 2 * std::size_t{each}; }
  /// How much faster than without a balancer; 0 if that was not run.
  double gain(const measured& m) const;
};

report run(const request& r, std::uint32_t workers);

/// Several lines, and a picture (SVG) of the imbalance of each run over its steps.
std::string to_text(const report& r);
std::string to_svg(const report& r);

}  // namespace particles
