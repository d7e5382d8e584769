// borrowed_memories.hpp - the addresses by which a device knows memory that is not its own: its driver gave it to the program, or another
// process's device exports it. Nothing else has them.
//
// Threads     any.
// Cost        set_aside and forget: a call of the system each. has: one load while nothing is borrowed.
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

  /// Addresses that nothing is at, which begin as far behind a page's beginning as `like`: what is aligned there is aligned here.
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
  mutable std::shared_mutex mutex_;  // guards what follows
  std::map<const std::byte*, range> ranges_;
};

}  // namespace stretto::device
