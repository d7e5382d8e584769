// local_target.hpp - the window of a rank of this node: operations are done at once, in the target's memory.
//
// Threads     any, from the creation of the window until all ranks of it have called to free it.
#pragma once

#include "base/config.hpp"
#include "base/spin_lock.hpp"
#include "ranks/windows/window_target.hpp"

namespace stretto::ranks {

class local_target final : public window_target {
 public:
  /// `combining` is the lock of the rank for accumulates, one for all its windows: these may overlap.
  explicit local_target(base::spin_lock& combining) : combining_(combining) {}
  local_target(const local_target&) = delete;
  local_target& operator=(const local_target&) = delete;

  // set before other ranks know of it
  window_memory memory;
  const void* window = nullptr;  // its name for checks, one for all ranks of the process
  int rank = 0;                  // in the window
  window_lock& queue() { return lock_; }

  void describe(std::span<const std::byte>) override {}
  request_owner begin(const window_operation& operation) override;
  target_call_owner start_flush(const std::source_location&) override { return nullptr; }
  void lock(lock_mode mode, const std::source_location& where) override;
  void acquire(const std::source_location&) override {}
  target_call_owner start_unlock(const std::source_location& where) override;
  /// For a rank that has the lock.
  void release(world_rank rank) { lock_.release(rank); }
  const fixed_memory* shared_memory() const override { return memory.fixed() ? &*memory.fixed() : nullptr; }
  const fixed_memory* known_memory() const override { return shared_memory(); }

 private:
  void accumulate(const window_operation& operation, std::byte* target);

  base::spin_lock& combining_;
  window_lock lock_;
};

}  // namespace stretto::ranks
