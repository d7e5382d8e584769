// stack.hpp - stacks for tasks that suspend: pooled, guarded, known to the sanitizers.
//
// Threads     stack_pool: any thread. stack: the worker that runs on it.
// Cost        take and give: a lock and a list node; a new stack: one mmap, one mprotect.
// Invariants  (1) the `stack_guard_bytes` below every stack are inaccessible. (2) at most `most` stacks exist at once.
#pragma once

#include <cstddef>
#include <mutex>

#include "sched/context/switch.hpp"

namespace stretto::sched {

/// Wide enough that a function with local arrays of usual size cannot step over it into the next stack. It takes up
/// addresses, but no memory.
inline constexpr std::size_t stack_guard_bytes = 64 << 10;

struct suspension;

/// Lies at the top of the memory that it describes.
struct stack {
  std::byte* base = nullptr;  // lowest usable byte
  std::size_t bytes = 0;
  saved_stack entry = nullptr;  // where to switch to while the stack is fresh
  stack* next = nullptr;
  void* sanitizer = nullptr;  // ThreadSanitizer's fiber
  // For debuggers and reports.
  stack* older = nullptr;      // made before this one
  suspension* left = nullptr;  // the suspension of the task that left this stack; null: none
};

class stack_pool {
 public:
  /// `bytes` per stack is rounded up to whole pages; `most` bounds stacks in use and idle together.
  stack_pool(std::size_t bytes, std::size_t most) : bytes_(bytes), most_(most) {}
  stack_pool(const stack_pool&) = delete;
  ~stack_pool();

  /// A stack prepared to call entry(). Throws error S11 if `most` are in use or the system has no more.
  stack* take(void (*entry)());
  void give(stack* s) noexcept;
  /// Makes a stack that was used before fresh again.
  static void prepare(stack* s, void (*entry)()) noexcept;

  std::size_t made() const noexcept {
    std::scoped_lock lock(mutex_);
    return made_;
  }
  std::size_t bytes() const noexcept { return bytes_; }
  static std::size_t offset_of_newest() noexcept;
  /// All stacks ever made, linked by `older`; they stay until the pool is destroyed.
  const stack* newest() const noexcept {
    std::scoped_lock lock(mutex_);
    return newest_;
  }

 private:
  stack* make();

  const std::size_t bytes_, most_;
  mutable std::mutex mutex_;
  stack* idle_ = nullptr;
  stack* newest_ = nullptr;  // of all that were made
  std::size_t made_ = 0;
};

}  // namespace stretto::sched
