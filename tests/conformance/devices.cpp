#include "conformance/devices.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <utility>

namespace stretto::device {

std::vector<candidate> candidates() {
  std::vector<candidate> all = sim_candidates();
  for (candidate& c : opencl_candidates()) all.push_back(std::move(c));
  for (candidate& c : cuda_candidates()) all.push_back(std::move(c));
  return all;
}

std::vector<std::string> usable(const std::vector<opened_device>& all) {
  std::vector<std::string> names;
  for (const opened_device& f : all) {
    names.push_back(f.is ? f.name : std::string());
    if (!f.is) std::fprintf(stderr, "no conformance test of %s: %s\n", f.name.c_str(), f.reason.c_str());
  }
  return names;
}

std::unique_ptr<device> usable(std::vector<opened_device> all, std::size_t n) {
  REQUIRE_MESSAGE(all.at(n).is, all.at(n).reason);
  return std::move(all[n].is);
}

}  // namespace stretto::device
