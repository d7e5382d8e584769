// asymmetric_fence.hpp - a pair of fences for store-then-load races where one side is hot and the other rare.
//
// If thread A does { store x; light(); load y; } and thread B does { store y; heavy(); load x; }, then at least one
// of them sees the other's store: what two sequentially consistent fences give, but light() costs nothing.
//
// Threads     any.
// Cost        light: no instruction. heavy: a system call that interrupts the cores this process runs on (0.3 us
//             alone, 8 us with a busy neighbour on a virtual machine).
// Fallback    where the kernel has no membarrier, or under ThreadSanitizer (which cannot see it), both are full
//             barriers by read-modify-write; light() then costs about 7 ns.
// Source      the kernel's membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED.
#pragma once

#include <atomic>

#include "base/config.hpp"

namespace stretto::base {

namespace asymmetric {

/// True once this process is registered for membarrier. Set before the first worker starts, never after.
extern bool by_kernel;
extern std::atomic<unsigned> shared_word;

/// Registers the process; called by each runtime's start. Returns by_kernel.
bool prepare() noexcept;

inline void light() noexcept {
  if constexpr (!thread_sanitizer)
    if (by_kernel) [[likely]] {
      std::atomic_signal_fence(std::memory_order_seq_cst);
      return;
    }
  shared_word.fetch_add(0, std::memory_order_seq_cst);
}

void heavy() noexcept;

}  // namespace asymmetric
}  // namespace stretto::base
