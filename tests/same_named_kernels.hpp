// same_named_kernels.hpp - runs a kernel on the value 10, on the host and on each kind of device of this machine.
#pragma once

#include <stretto/copy.hpp>
#include <stretto/launch.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "usable_devices.hpp"

namespace stretto::test {

inline void check_makes_of_ten(const kernel<void(kernels::language<false>::inout<int>)>& k, int expected) {
  std::vector<std::string> kinds = usable_devices({"sim:1", "opencl:1"}, "kernels that are named alike");
  kinds.push_back("none");
  for (const std::string& kind : kinds) {
    CAPTURE(kind);
    runtime rt({.workers = 1, .devices = kind});
    rt.run([&] {
      const place ram = rt.machine().memories().front();
      const auto of_devices = rt.machine().places(place_kind::gpu_memory);
      const auto x = instance<int>::create(at(of_devices.empty() ? ram : of_devices.front()), {0, 4}).made,
                 seen = instance<int>::create(at(ram), {0, 4}).made;
      const event filled = fill(x, 10);
      wait(copy(x, seen, after(launch(after(filled), k, box(0, 4), x))));
      CHECK(seen.view()(3) == expected);
      x.destroy(), seen.destroy();
    });
  }
}

}  // namespace stretto::test
