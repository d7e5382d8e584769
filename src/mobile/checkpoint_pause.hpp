// checkpoint_pause.hpp - which node may take checkpoints, and which one has paused this node for a checkpoint.
//
// Threads     Any.
#pragma once

#include <atomic>

#include "mobile/messages.hpp"

namespace stretto::mobiles {

class checkpoint_pause {
 public:
  /// False if another node has reserved the right to take checkpoints.
  bool try_reserve(rank by) noexcept {
    rank none = no_rank;
    return owner_.compare_exchange_strong(none, by);
  }
  void release(rank by) noexcept { owner_.compare_exchange_strong(by, no_rank); }

  bool is_paused() const noexcept { return is_paused_.load(); }
  void pause(rank by) noexcept {
    paused_by_ = by;
    is_paused_ = true;
  }
  /// False if node `by` has not paused this node.
  bool try_resume(rank by) noexcept {
    if (!paused_by_.compare_exchange_strong(by, no_rank)) return false;
    is_paused_ = false;
    return true;
  }

 private:
  std::atomic<bool> is_paused_{false};
  std::atomic<rank> paused_by_{no_rank};
  std::atomic<rank> owner_{no_rank};
};

}  // namespace stretto::mobiles
