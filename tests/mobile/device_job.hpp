// device_job.hpp - a program on all nodes of a simulated job, each a runtime with threads and devices of its own.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <stretto/platform.hpp>
#include <stretto/remote.hpp>

#include "../dist/simulated.hpp"
#include "base/context.hpp"
#include "data/other_nodes.hpp"
#include "dist/stepped_nodes.hpp"
#include "function_reference.hpp"

namespace stretto::test {

/// As on_nodes_of, for a program without arguments.
inline void on_device_nodes(const simulated_job& job, const std::string& devices, function_reference<void()> program,
                            unsigned workers = 2) {
  on_nodes_of(job, {.workers = workers, .devices = devices}, [&](runtime&) { program(); });
}

/// Runs the program on node 0 of so many nodes; the others serve. Once on the host alone, and once with devices.
inline void on_first_of(std::uint32_t nodes, std::uint64_t seed, function_reference<void()> program) {
  for (const char* const devices : {"none", "sim:2"}) {
    CAPTURE(devices);
    on_device_nodes(simulated_job({.nodes = nodes, .seed = seed}), devices, [&] {
      if (this_node() == 0) program();
    });
  }
}

/// Memory of the objects of a random program: wherever they are needed, or, for some, memory that a host and its
/// devices share.
enum class homes { nowhere, of_some };
class random_homes {
 public:
  random_homes(homes which, std::uint64_t seed) : which_(which), random_(seed) {}
  /// For the next object that is made on that machine.
  place next(const platform& machine) {
    const std::vector<place> shared = machine.places(place_kind::pinned_memory);
    const bool is_there = which_ != homes::nowhere && !shared.empty() && random_() % 3;
    return is_there ? shared[random_() % shared.size()] : place();
  }

 private:
  const homes which_;
  std::mt19937_64 random_;
};

/// Checks that no node keeps attachments of messages any more.
inline void check_nothing_is_held(stepped_nodes& job) {
  std::size_t held = 0;
  for (std::uint32_t n = 0; n < job.nodes; ++n)
    job.on(n, [&] { held += data::attachments_of(*base::current())->size(); });
  CHECK(held == 0);
}

}  // namespace stretto::test
