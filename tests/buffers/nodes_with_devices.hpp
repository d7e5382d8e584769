// nodes_with_devices.hpp - a program on buffers on every node of jobs of several sizes, with every kind of device.
#pragma once

#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "dist/simulated.hpp"
#include "function_reference.hpp"
#include "usable_devices.hpp"
#include "with_variable.hpp"

namespace stretto::test {

/// Calls body on every node of jobs of 1 to 4 nodes, with every kind of device.
inline void on_nodes_with_devices(function_reference<void()> body) {
  static const std::vector<std::string> kinds = usable_devices({"none", "sim", "sim:3", "opencl:1"}, "buffers");
  const with_variable memory("STRETTO_DEVICE_MEMORY", "8M");
  for (const std::string& kind : kinds)
    for (const std::uint32_t nodes : {1u, 2u, 4u}) {
      INFO(nodes << " nodes with " << kind);
      if (nodes == 1) {
        runtime rt({.workers = 2, .devices = kind});
        rt.run([&] { body(); });
      } else {
        on_nodes_of(simulated_job({.nodes = nodes, .seed = nodes}), {.workers = 1, .devices = kind},
                    [&](runtime&) { body(); });
      }
    }
}

}  // namespace stretto::test
