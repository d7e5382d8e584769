// random_destinations.hpp - after which handlers a test migrates the object at random, and where.
//
// Threads     Any. start: before other threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "mobile/messages.hpp"

namespace stretto::mobiles {

class random_destinations {
 public:
  /// `percent` of the draws name a node; 0: nobody draws. Equal seeds give the same numbers on the same node if the
  /// draws are made in the same order.
  void start(std::uint64_t seed, unsigned percent, rank self) noexcept {
    first_ = seed + self;
    percent_ = percent;
  }
  bool is_on() const noexcept { return percent_ != 0; }
  /// Nothing, or one of `nodes` nodes.
  std::optional<rank> draw(std::uint32_t nodes) noexcept {
    const std::uint64_t x = mixed(first_ + draws_.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b97f4a7c15u);
    if (x % 100 >= percent_) return {};
    return static_cast<rank>((x >> 8) % nodes);
  }

 private:
  static std::uint64_t mixed(std::uint64_t x) noexcept {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }

  std::uint64_t first_ = 0;
  unsigned percent_ = 0;
  std::atomic<std::uint64_t> draws_{0};
};

}  // namespace stretto::mobiles
