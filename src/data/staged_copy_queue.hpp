// staged_copy_queue.hpp - copies over channels: one direct channel, or several through staging buffers in other
// memories.
//
// A copy allocates all buffers of its route before its first piece moves, and never allocates more. A copy that cannot
// get its buffers waits for one that holds some, so no two copies can deadlock. If none holds any and host memory is
// full, the copy gets a small buffer on the heap: it may be the copy that frees memory.
//
// Threads     any thread of the runtime.
// Cost        a route has two buffers per memory between its ends, 1 MiB each, or less if memory is short.
// Invariants  (1) at most four copies are active, which bounds the buffers. (2) the end of an active copy starts a
//             queued one. If no copy is active, a queued one starts, or fails with D12, at once.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "data/staged_copy.hpp"
#include "data/staged_copy_engine.hpp"

namespace stretto::data {

class staged_copy_queue final : public staged_copy_engine, public staged_copy::owner {
 public:
  explicit staged_copy_queue(data_state& state) : state_(state) {}
  staged_copy_queue(const staged_copy_queue&) = delete;

  void require_route(const operation_request& r) const override;
  void start(operation& op, base::thread_context& context) override;

 private:
  void ended(staged_copy& copy, failure_ref cause, base::thread_context& context) noexcept override;

  static constexpr unsigned most_active = 4;

  void start_waiting(base::thread_context& context) noexcept;
  std::vector<memory_space*> route(const operation_request& r) const;

  data_state& state_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<staged_copy>> active_;
  std::deque<operation*> queued_;
};

}  // namespace stretto::data
