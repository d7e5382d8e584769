#include "conformance/devices.hpp"

#include <utility>

namespace stretto::device {

std::vector<candidate> candidates() {
  std::vector<candidate> all = sim_candidates();
  for (candidate& c : opencl_candidates()) all.push_back(std::move(c));
  for (candidate& c : cuda_candidates()) all.push_back(std::move(c));
  return all;
}

}  // namespace stretto::device
