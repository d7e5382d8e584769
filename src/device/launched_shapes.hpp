// launched_shapes.hpp - the group shapes in which a kernel was launched on a device.
//
// Threads     any.
// Cost        has: a few loads for the shape that came first, else a lock.
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
  /// The group's length along each axis, the number of axes, and the line length of plain kernels.
  struct shape {
    std::array<std::int64_t, 3> group = {1, 1, 1};
    int dimensions = 1;
    std::int64_t line = 0;
    friend bool operator==(const shape&, const shape&) = default;
  };

  bool has(const shape& s) const noexcept {
    // The first shape never changes once it is published.
    if (const shape* const only = first_.load(std::memory_order_acquire); only && *only == s) return true;
    const std::scoped_lock lock(mutex_);
    return std::ranges::find(others_, s) != others_.end();
  }
  /// Adds a shape; true if it is new.
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
  std::atomic<const shape*> first_{nullptr};  // points to kept_ once it is set
  mutable std::mutex mutex_;                  // guards the members below
  std::vector<shape> others_;
};

}  // namespace stretto::device
