// count_down.hpp - decrements a count of references or of remaining work. The thread that takes the last one sees all
// effects of the others.
//
// Threads     any.
// Cost        one atomic subtraction.
#pragma once

#include <atomic>

#include "base/sanitizers.hpp"

namespace stretto::base {

/// Decrements; true if that was the last one.
template <class Count>
bool count_down(std::atomic<Count>& left) noexcept {
  announce_release(&left);
  if (left.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  announce_acquire(&left);
  return true;
}

}  // namespace stretto::base
