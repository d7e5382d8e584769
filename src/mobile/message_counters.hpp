// message_counters.hpp - counts of one node that belong to no object: messages that no shard of the directory counts,
// protocol messages, sends that wait for an event, and handlers that run for other nodes.
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
  /// A message of this node that has not been posted yet, or that no handler runs.
  void message_begun() noexcept { begun_.fetch_add(1); }
  void message_ended() noexcept { ended_.fetch_add(1); }
  std::uint64_t begun() const noexcept { return begun_.load(); }
  std::uint64_t ended() const noexcept { return ended_.load(); }

  /// To and from other nodes.
  void protocol_message_sent() noexcept { ++sent_; }
  void protocol_message_received() noexcept { ++received_; }
  std::uint64_t protocol_messages_sent() const noexcept { return sent_.load(); }
  std::uint64_t protocol_messages_received() const noexcept { return received_.load(); }

  void broadcast_message_sent() noexcept { ++broadcasts_; }
  std::uint64_t broadcast_messages_sent() const noexcept { return broadcasts_.load(); }

  /// `by` 1: a send waits for an event before it is posted; -1: it waits no longer.
  void count_deferred(int by) noexcept { deferred_ += static_cast<std::uint64_t>(by); }
  std::uint64_t deferred_sends() const noexcept { return deferred_.load(); }

  /// For a message of another node.
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
