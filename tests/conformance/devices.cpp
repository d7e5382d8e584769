#include "conformance/devices.hpp"

#include <cstdio>
#include <stdexcept>

#include "device/opencl/opencl_device.hpp"
#include "device/sim/sim_device.hpp"

namespace stretto::device {

std::vector<candidate> candidates() {
  std::vector<candidate> all;
  all.push_back({"sim", [] {
                   sim::options o;
                   o.launch_seconds = o.copy_latency_seconds = 1e-6;
                   o.check = checking::on;
                   return std::move(sim::make(o).device);
                 }});
  all.push_back({"stepped sim", [] {
                   sim::options o;
                   o.clock = [now = std::make_shared<double>()] { return *now += 1e-6; };
                   return std::move(sim::make(o).device);
                 }});
  const opencl::options o{.memory_bytes = 64 << 20, .cache = {}};
  static const std::vector<opencl::found> there = opencl::find(o);  // once: what is missing is said once
  for (std::size_t i = 0; i < there.size(); ++i)
    if (!there[i].device) std::fprintf(stderr, "no conformance test of %s: %s\n", there[i].name.c_str(), there[i].reason.c_str());
    else all.push_back({"opencl " + there[i].name, [o, i] { return std::move(opencl::find(o)[i].device); }});
  return all;
}

}  // namespace stretto::device
