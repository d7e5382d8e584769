// borrowed_memories.hpp - address ranges by which a device refers to memory that it did not allocate: memory that the
// program got from the driver, or memory that a device of another process exports.
//
// Threads     any.
// Cost        reserve and release: one system call each. contains: one load while nothing is borrowed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>

namespace stretto::device {

class borrowed_memories {
 public:
  borrowed_memories() = default;
  borrowed_memories(const borrowed_memories&) = delete;
  ~borrowed_memories();

  /// Reserves addresses without memory. They have the same offset within a page as `like`, so that alignment is
  /// preserved.
  std::byte* reserve(std::uint64_t bytes, std::uintptr_t like);
  void release(std::byte* first) noexcept;

  bool contains(const std::byte* first, std::uint64_t bytes) const noexcept {
    return count_.load(std::memory_order_acquire) != 0 && has_range(first, bytes);
  }

 private:
  struct range {
    std::uint64_t bytes, mapped_bytes;
    void* mapped;
  };
  bool has_range(const std::byte* first, std::uint64_t bytes) const noexcept;

  std::atomic<std::size_t> count_{0};
  mutable std::shared_mutex mutex_;  // guards the members below
  std::map<const std::byte*, range> ranges_;
};

}  // namespace stretto::device
