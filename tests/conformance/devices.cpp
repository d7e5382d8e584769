#include "conformance/devices.hpp"

#include <utility>

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
  for (candidate& c : opencl_candidates()) all.push_back(std::move(c));
  return all;
}

}  // namespace stretto::device
