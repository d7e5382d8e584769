// count_down.hpp - a count of what is left, or of references: the last one goes on, and knows what all others did.
//
// Threads     any.
// Cost        one atomic subtraction.
#pragma once

#include <atomic>

#include "base/sanitizers.hpp"

namespace stretto::base {

/// Takes one off; whether that was the last.
template <class Count>
bool count_down(std::atomic<Count>& left) noexcept {
  announce_release(&left);
  if (left.fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  announce_acquire(&left);
  return true;
}

}  // namespace stretto::base
