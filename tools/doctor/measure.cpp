#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include <stretto/stretto.hpp>

#include "doctor/look.hpp"

namespace stretto::doctor {
namespace {

/// Seconds of one of `count` turns of `turn`, in the best of `tries`.
template <class Turn>
double best_of(int tries, int count, Turn&& turn) {
  double best = std::numeric_limits<double>::infinity();
  for (int t = 0; t < tries; ++t) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) turn();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count);
  }
  return best;
}

double copy_bandwidth() {
  constexpr std::size_t bytes = 32u << 20;  // beyond a core's share of most caches
  std::vector<std::byte> from(bytes, std::byte{1}), to(bytes);
  const double taken = best_of(5, 1, [&] {
    std::memcpy(to.data(), from.data(), bytes);
    asm volatile("" : : "r"(to.data()) : "memory");  // every copy is wanted
  });
  return static_cast<double>(bytes) / taken;
}

}  // namespace

speeds_found measure_speeds() {
  speeds_found s;
  {
    runtime rt({.workers = 1});
    rt.run([&] {
      s.spawn_and_wait = best_of(9, 10000, [] { async([] {}).get(); });
      s.trigger = best_of(9, 10000, [] { user_event::create().trigger(); });
    });
  }
  runtime rt;
  if (rt.workers() >= 2)
    s.hand_off = rt.run([] { return best_of(9, 200, [] { async(on(worker(1)), [] {}).get(); }) / 2; });
  try {
    s.copy = copy_bandwidth();
  } catch (const std::bad_alloc&) {
    // Then there is no figure.
  }
  return s;
}

}  // namespace stretto::doctor
