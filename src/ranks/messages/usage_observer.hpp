// usage_observer.hpp - sees which message each receive takes, also from other nodes: for checks of programs
// (STRETTO_CHECK=1).
//
// Threads     called by the thread that sends or receives, some functions under the lock of a mailbox.
// Cost        one load and a branch for each message while there is none.
#pragma once

#include <optional>

#include "ranks/node_messages.hpp"

namespace stretto::ranks {

struct queue_entry;

class usage_observer {
 public:
  /// The calling rank has posted a receive or sent a message, which waits in a queue.
  virtual void waits(const queue_entry& entry) = 0;
  /// A receive takes a message. The one that waited in a queue is named; the other is the call of this thread.
  virtual void matched(const queue_entry& waited) = 0;
  /// It has left its queue: cancelled.
  virtual void forgotten(const queue_entry& entry) = 0;

  /// The data that the calling rank sends to another node, for the observer there; nothing if nobody can say.
  virtual std::optional<described_data> describe_sent() = 0;
  /// From now on, this thread delivers a message of another node instead of one of its own call. Null: no longer.
  virtual void delivers(const std::optional<described_data>* sent) noexcept = 0;
  /// Ranks of another node begin a collective.
  virtual void begun_elsewhere(const collective_notice& notice) = 0;

  /// Of all mailboxes; null: none. Set before ranks run.
  static constinit inline usage_observer* installed = nullptr;

 protected:
  ~usage_observer() = default;
};

/// A thread delivers a message of another node while this lives.
class delivery_from_node {
 public:
  explicit delivery_from_node(const std::optional<described_data>& sent) {
    if (usage_observer::installed) [[unlikely]]
      usage_observer::installed->delivers(&sent);
  }
  delivery_from_node(const delivery_from_node&) = delete;
  ~delivery_from_node() {
    if (usage_observer::installed) [[unlikely]]
      usage_observer::installed->delivers(nullptr);
  }
};

}  // namespace stretto::ranks
