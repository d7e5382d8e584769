// message_target.hpp - the window of a rank of another node: operations are messages to its access_server.
//
// Threads     any thread of the rank that has it.
// Cost        short operations: a packed copy and one message. Longer data is sent from the origin's memory, as another
//             message, and received in the target's. Operations with a result have a reply, and need no flush. An epoch
//             of one short access under a lock: one message and its reply.
// Errors      of the target's memory, if the window is dynamic: by the next flush or unlock.
#pragma once

#include <atomic>
#include <vector>

#include "base/spin_lock.hpp"
#include "ranks/windows/deferred_lock.hpp"

namespace stretto::ranks {

class message_target final : public window_target {
 public:
  /// `memory`: without an address; null if the window is dynamic.
  message_target(const window_channel& channel, int rank, const fixed_memory* memory);
  message_target(const message_target&) = delete;
  message_target& operator=(const message_target&) = delete;

  void describe(std::span<const std::byte> operation) override;
  request_owner begin(const window_operation& operation) override;
  target_call_owner start_flush(const std::source_location& where) override;
  void lock(lock_mode mode, const std::source_location& where) override;
  void acquire(const std::source_location& where) override;
  target_call_owner start_unlock(const std::source_location& where) override;
  const fixed_memory* shared_memory() const override { return nullptr; }
  const fixed_memory* known_memory() const override { return memory_.fixed() ? &*memory_.fixed() : nullptr; }

 private:
  class call;

  access_header header_of(const window_operation& operation, std::size_t type_numbers);
  /// The request of data that the target receives from the origin's memory; null if none does.
  request_owner send(const access_header& header, const window_operation& operation,
                     const std::vector<std::int64_t>& description);
  /// For the lock, or with it. False: the rank has the lock now.
  bool pass_to_lock(const access_header& header, const window_operation& operation,
                    const std::vector<std::int64_t>& description);
  request_owner receive_reply(const data_part& into, int tag, datatype_ref type = {});
  /// Sends a header without an access; its reply ends the call.
  target_call_owner call_target(int steps);
  /// So many unconfirmed operations have ended.
  void confirm(std::int64_t ended);
  /// For the next flush.
  void remember(request& one);
  bool has_begun();
  void wait_for_begun(const std::source_location& where);

  const window_channel& channel_;
  const int rank_;
  window_memory memory_;  // to check accesses
  std::atomic<std::int64_t> accesses_ = 0;
  deferred_lock locking_;
  // Operations whose end only a reply to a flush shows: how many were sent, and how many of these have ended.
  std::atomic<std::int64_t> unconfirmed_ = 0, confirmed_ = 0;
  base::spin_lock lock_;              // guards what follows
  std::vector<request_owner> begun_;  // replies that may not have come, data that may not have been sent
  std::size_t next_removal_ = 64;     // of done ones, once there are so many
};

}  // namespace stretto::ranks
