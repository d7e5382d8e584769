// run.hpp - the problem on the nodes of the job, cut into more or fewer cuboids, each time held against a serial loop.
//
// Threads     called inside run() of node 0; the others have only to be there.
// Errors      W32 where a cuboid's values are not the serial loop's, W33 where the problem cannot be cut so, W38 where
//             a checkpoint is of another run, and those of checkpoints.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "demo/jacobi3d/problem.hpp"

namespace jacobi3d {

enum class cells_on : std::uint8_t { host, devices };  // cuboids, or device_cuboids

struct request {
  problem what;
  std::vector<std::uint32_t> factors = {};  // cuboids per worker: a run for each
  cells_on where = cells_on::host;
  std::uint32_t every = 10;               // steps between checkpoints
  std::filesystem::path checkpoint = {};  // saved there while work goes on; empty: not
  std::filesystem::path restore =
      {};  // gone on from what is there, in its cuboids, whatever the factors; empty: begun anew
};

struct measured {
  std::uint32_t cuboids = 1;  // in all
  double seconds = 0;
  double last_change = 0;
  std::uint32_t from = 0;   // the step that it went on from, of a checkpoint
  std::uint32_t saved = 0;  // checkpoints
};

struct report {
  problem what;
  cells_on where = cells_on::host;
  std::uint32_t nodes = 1, workers = 1;  // workers of each node
  double serial_seconds = 0;
  std::vector<measured> runs;

  double serial_million_cells_per_second() const;
  double million_cells_per_second(const measured& m) const;
  double cuboids_per_worker(const measured& m) const;
  /// Of the workers together, to the serial loop times their number.
  double ratio_per_worker(const measured& m) const;
};

report run(const request& r, std::uint32_t workers);

/// Several lines.
std::string to_text(const report& r);

}  // namespace jacobi3d
