#include <cstdio>
#include <utility>

#include "conformance/devices.hpp"
#include "device/opencl/opencl_device.hpp"

namespace stretto::device {

std::vector<candidate> opencl_candidates() {
  std::vector<candidate> all;
  const opencl::options o{.memory_bytes = 64 << 20, .host_memory_bytes = 1 << 20, .cache = {}};
  static const std::vector<found> there = opencl::find(o);  // once: what is missing is said once
  opencl::options of_blocks = o;
  of_blocks.pool = false;
  for (std::size_t i = 0; i < there.size(); ++i)
    if (!there[i].is) std::fprintf(stderr, "no conformance test of %s: %s\n", there[i].name.c_str(), there[i].reason.c_str());
    else
      for (const opencl::options& how : {o, of_blocks})
        all.push_back({"opencl " + there[i].name + (how.pool ? "" : ", without a pool"),
                       [how, i] { return std::move(opencl::find(how)[i].is); }, {}});
  return all;
}

}  // namespace stretto::device
