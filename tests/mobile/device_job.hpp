// device_job.hpp - a program on all nodes of a simulated job, each a runtime with threads and devices of its own.
#pragma once

#include <string>

#include "../dist/simulated.hpp"

namespace stretto::test {

/// As on_nodes_of, of a program that takes nothing.
template <class F>
void on_device_nodes(const simulated_job& job, const std::string& devices, F&& program, unsigned workers = 2) {
  on_nodes_of(job, {.workers = workers, .devices = devices}, [&](runtime&) { program(); });
}

}  // namespace stretto::test
