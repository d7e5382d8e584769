// launched_shapes.hpp - in groups of which shapes a kernel was launched on a device.
//
// Threads     any.
// Cost        has: a few loads for the first shape that there was, else a lock.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace stretto::device {

class launched_shapes {
 public:
  /// The length of a group along each axis, how many axes count, and that of the lines of a plain kernel.
  struct shape {
    std::array<std::int64_t, 3> group = {1, 1, 1};
    int dimensions = 1;
    std::int64_t line = 0;
    friend bool operator==(const shape&, const shape&) = default;
  };

  bool has(const shape& s) const noexcept {
    // It does not change any more once it is seen.
    if (const shape* const only = first_.load(std::memory_order_acquire); only && *only == s) return true;
    const std::scoped_lock lock(mutex_);
    return std::ranges::find(others_, s) != others_.end();
  }
  /// Whether it is a new one.
  bool add(const shape& s) {
    if (has(s)) return false;
    const std::scoped_lock lock(mutex_);
    if (!first_.load(std::memory_order_relaxed)) {
      kept_ = s;
      first_.store(&kept_, std::memory_order_release);
      return true;
    }
    if (kept_ == s || std::ranges::find(others_, s) != others_.end()) return false;
    others_.push_back(s);
    return true;
  }

 private:
  shape kept_;
  std::atomic<const shape*> first_{nullptr};  // kept_, once there is one
  mutable std::mutex mutex_;                  // guards what follows
  std::vector<shape> others_;
};

}  // namespace stretto::device
