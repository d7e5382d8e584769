// short_kernels.hpp - which kernels take less time than it takes to pass them to a worker, by their past times.
//
// Threads     any. If two threads record at the same time, one record may be lost.
// Cost        is_short: one load; took: a load and a store.
// Invariants  a kernel without records, or with native code, is never short.
#pragma once

#include <stretto/kernel_code.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace stretto::objects {

class short_kernels {
 public:
  /// A kernel that takes at most `most_ticks` is short.
  explicit short_kernels(std::uint32_t most_ticks = 0) noexcept : most_(most_ticks) {}
  void set_most(std::uint32_t ticks) noexcept { most_ = ticks; }

  bool is_short(const kernel_code& code, std::uint64_t items) const noexcept {
    const std::uint64_t seen = entry(code, items).load(std::memory_order_relaxed);
    return seen >> 32 == key(code, items) && static_cast<std::uint32_t>(seen) <= most_;
  }
  /// Records a time. The kept time moves half of the way to it, and up by at most half: a thread may have been
  /// interrupted.
  void took(const kernel_code& code, std::uint64_t items, std::uint64_t ticks) noexcept {
    if (code.native) return;
    std::atomic<std::uint64_t>& e = entry(code, items);
    const std::uint64_t seen = e.load(std::memory_order_relaxed), k = key(code, items);
    std::uint64_t now = std::min<std::uint64_t>(ticks, UINT32_MAX / 4);
    if (seen >> 32 == k) {
      const std::uint64_t before = static_cast<std::uint32_t>(seen);
      now = (before + std::min(now, 2 * before + 1)) / 2;
    }
    e.store(k << 32 | now, std::memory_order_relaxed);
  }

 private:
  /// Key of a kernel for ranges of one size, within a factor of two; never 0.
  static std::uint64_t key(const kernel_code& code, std::uint64_t items) noexcept {
    const std::uint64_t which =
        reinterpret_cast<std::uintptr_t>(&code) ^ static_cast<std::uint64_t>(std::bit_width(items));
    return which * 0x9e3779b97f4a7c15u >> 32 | 1;
  }
  std::atomic<std::uint64_t>& entry(const kernel_code& code, std::uint64_t items) const noexcept {
    return seen_[key(code, items) >> 1 & (seen_.size() - 1)];
  }

  std::uint64_t most_;
  mutable std::array<std::atomic<std::uint64_t>, 64> seen_{};  // key and ticks
};

}  // namespace stretto::objects
