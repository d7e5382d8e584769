// usage_observer.hpp - sees which message each receive takes, also from other nodes: for checks of programs
// (STRETTO_CHECK=1) and for traces.
//
// Threads     called by the thread that sends or receives, some functions under the lock of a mailbox.
// Cost        one load and a branch for each message while there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/context.hpp"
#include "ranks/node_messages.hpp"

namespace stretto::ranks {

struct queue_entry;

class usage_observer {
 public:
  /// The calling rank has posted a receive or sent a message, which waits in a queue.
  virtual void waits(const queue_entry& entry) = 0;
  /// A receive takes a message of so many bytes. The one that waited in a queue is named; the other is the call of this
  /// thread.
  virtual void matched(const queue_entry& waited, std::int64_t bytes) = 0;
  /// It has left its queue: cancelled.
  virtual void forgotten(const queue_entry& entry) = 0;
  /// The calling rank lets the others of a collective go on, which wait for it.
  virtual void ends_meeting() = 0;

  /// The calling rank sends to another node: adds what the observer there needs.
  virtual void sends(rank_message& message) = 0;
  /// From now on, this thread delivers a message of another node instead of one of its own call. Null: no longer.
  virtual void delivers(const rank_message* sent) noexcept = 0;
  /// Ranks of another node begin a collective.
  virtual void begun_elsewhere(const collective_notice& notice) = 0;
  /// A rank of another node accesses a window of a rank of this one; the bytes are what checks there say of it.
  virtual void accessed_elsewhere(const void* window, std::span<const std::byte> described) {
    static_cast<void>(window), static_cast<void>(described);
  }
  /// A flush or an unlock of a rank of another node ends its accesses to a rank of this one; both are ranks of the
  /// window.
  virtual void ended_elsewhere(const void* window, int origin, int target) {
    static_cast<void>(window), static_cast<void>(origin), static_cast<void>(target);
  }

  /// Of all mailboxes; null: none.
  static constinit inline usage_observer* installed = nullptr;
  /// Adds one to those installed. Before ranks send.
  static void install(usage_observer& one);

 protected:
  ~usage_observer() = default;
};

/// In a trace, what this thread makes ready while this lives has a span of another node as its cause, if it is not 0.
class caused_by_span {
 public:
  explicit caused_by_span(std::uint64_t span) : context_(span ? base::current() : nullptr) {
    if (context_) before_ = std::exchange(context_->current_id, span);
  }
  caused_by_span(const caused_by_span&) = delete;
  ~caused_by_span() {
    if (context_) context_->current_id = before_;
  }

 private:
  base::thread_context* const context_;
  std::uint64_t before_ = 0;
};

/// A thread delivers a message of another node while this lives.
class delivery_from_node {
 public:
  explicit delivery_from_node(const rank_message& sent) : cause_(sent.span) {
    if (usage_observer::installed) [[unlikely]]
      usage_observer::installed->delivers(&sent);
  }
  delivery_from_node(const delivery_from_node&) = delete;
  ~delivery_from_node() {
    if (usage_observer::installed) [[unlikely]]
      usage_observer::installed->delivers(nullptr);
  }

 private:
  const caused_by_span cause_;
};

}  // namespace stretto::ranks
