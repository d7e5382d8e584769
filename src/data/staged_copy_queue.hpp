// staging.hpp - copies that no loads and stores can do: by one channel, or by several through other memories.
//
// A copy takes all the buffers of its route before its first piece moves, and never asks for more; those that cannot
// have theirs wait in line for one that holds some. So no two copies can wait for one another. Where none holds any and system memory
// is full, that one copy has a little beside it: it may be the copy that makes room.
//
// Threads     any thread of the runtime.
// Cost        a route has two buffers per memory in between, 1 MiB each if there is room, less if not.
// Invariants  (1) buffers in use are bounded by the copies at work, at most four. (2) a copy in line is started by
//             one at work that ends; with none at work it starts, or fails with D12, at once.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "data/staged_copy_engine.hpp"
#include "data/staged_copy.hpp"

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
