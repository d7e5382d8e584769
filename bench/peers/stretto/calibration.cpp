#include "peers/stretto/calibration.hpp"

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace {

double loop_seconds() {
  constexpr int keys = 1'024, steps = 20'000;
  std::map<std::uint64_t, std::uint64_t> tree;
  std::uint64_t drawn = 88172645463325252u;
  std::vector<std::uint64_t> order(keys);
  const auto draw = [&] {
    drawn ^= drawn << 13, drawn ^= drawn >> 7, drawn ^= drawn << 17;
    return drawn;
  };
  for (auto& key : order) tree[key = draw()] = 0;
  const double from = bench::thread_seconds();
  for (int i = 0; i < steps; ++i) {
    auto& key = order[static_cast<std::size_t>(i) % keys];
    tree.erase(key);
    ++tree.lower_bound(draw() >> 1)->second;
    tree[key = draw()] = 0;
    if (tree.empty() || tree.rbegin()->first < UINT64_MAX / 2) tree[UINT64_MAX] = 0;
  }
  return (bench::thread_seconds() - from) / steps;
}

}  // namespace

double bench::thread_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

bench::outcome bench::in_loops(double seconds_for_each, double unit) {
  static const double loop = std::min(loop_seconds(), loop_seconds());
  return {.value = seconds_for_each * unit, .facts = {{"loops", seconds_for_each / loop}}};
}
