// device_job.hpp - a program on all nodes of a simulated job, each a runtime with threads and devices of its own.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <stretto/remote.hpp>

#include "../dist/simulated.hpp"

namespace stretto::test {

/// As on_nodes_of, of a program that takes nothing.
template <class F>
void on_device_nodes(const simulated_job& job, const std::string& devices, F&& program, unsigned workers = 2) {
  on_nodes_of(job, {.workers = workers, .devices = devices}, [&](runtime&) { program(); });
}

/// What to run on node 0 of so many; the others serve. On the host alone, and on devices.
template <class F>
void on_first_of(std::uint32_t nodes, std::uint64_t seed, F&& program) {
  for (const char* const devices : {"none", "sim:2"}) {
    CAPTURE(devices);
    on_device_nodes(simulated_job({.nodes = nodes, .seed = seed}), devices, [&] {
      if (this_node() == 0) program();
    });
  }
}

}  // namespace stretto::test
