// message_counters.hpp - counts of one node, for quiescence detection, checkpoints and statistics: messages that no
// shard of the object directory counts, messages between nodes, sends that wait for an event, and handlers that run for
// other nodes.
//
// Threads     Any.
// Cost        An atomic addition for each count.
#pragma once

#include <atomic>
#include <cstdint>

#include "mobile/message_counts.hpp"
#include "mobile/object_directory.hpp"

namespace stretto::mobiles {

class message_counters {
 public:
  /// A message to an object has begun when the program sends it, and has ended when it was handled or has failed. The
  /// shards count most of both. Counted here are constructions of objects, sends that wait for an event, and the ends
  /// of local messages that no handler runs. A message may begin in a shard and end here, so compare totals().
  void message_begun() noexcept { begun_.fetch_add(1); }
  void message_ended() noexcept { ended_.fetch_add(1); }
  std::uint64_t begun() const noexcept { return begun_.load(); }
  std::uint64_t ended() const noexcept { return ended_.load(); }

  /// Messages between nodes: those of the protocol, remote messages to objects, and replies.
  void protocol_message_sent() noexcept { ++sent_; }
  void protocol_message_received() noexcept { ++received_; }
  std::uint64_t protocol_messages_sent() const noexcept { return sent_.load(); }
  std::uint64_t protocol_messages_received() const noexcept { return received_.load(); }

  /// Of these, the ones that carry a broadcast.
  void broadcast_message_sent() noexcept { ++broadcasts_; }
  std::uint64_t broadcast_messages_sent() const noexcept { return broadcasts_.load(); }

  /// `by` 1: a send waits for an event before it is posted; -1: it waits no longer.
  void count_deferred(int by) noexcept { deferred_ += static_cast<std::uint64_t>(by); }
  std::uint64_t deferred_sends() const noexcept { return deferred_.load(); }

  /// The task that handles a remote message has been spawned, and has ended.
  void remote_handler_begun() noexcept { handling_.fetch_add(1, std::memory_order_relaxed); }
  void remote_handler_ended() noexcept { --handling_; }
  std::uint64_t remote_handlers() const noexcept { return handling_.load(); }

  /// All messages of this node, with those that the directory counts. Counts ended messages first: if both counts are
  /// equal, there was a moment when no message of this node was under way.
  message_counts totals(object_directory& objects) const noexcept {
    message_counts all{.begun = 0, .ended = ended() + objects.messages_ended()};
    all.begun = begun() + objects.messages_begun();
    all.handling = remote_handlers();
    return all;
  }

 private:
  std::atomic<std::uint64_t> handling_{0};
  std::atomic<std::uint64_t> begun_{0}, ended_{0};
  std::atomic<std::uint64_t> sent_{0}, received_{0};
  std::atomic<std::uint64_t> deferred_{0};
  std::atomic<std::uint64_t> broadcasts_{0};
};

}  // namespace stretto::mobiles
