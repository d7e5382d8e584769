// message_observer.hpp - is told which message each receive takes: for checks of programs (STRETTO_CHECK=1).
//
// Threads     called by the thread that sends or receives, some functions under the lock of a mailbox.
// Cost        one load and a branch for each message while there is none.
#pragma once

namespace stretto::ranks {

struct queue_entry;
struct message_request;

class message_observer {
 public:
  /// The calling rank has posted a receive or sent a message, which waits in a queue.
  virtual void waits(const queue_entry& entry) = 0;
  /// A receive takes a message. The one that waited in a queue is named; the other is the call of this thread.
  virtual void matched(const queue_entry& waited) = 0;
  /// It has left its queue: cancelled.
  virtual void forgotten(const queue_entry& entry) = 0;

  /// Of all mailboxes; null: none. Set before ranks run.
  static constinit inline message_observer* installed = nullptr;

 protected:
  ~message_observer() = default;
};

}  // namespace stretto::ranks
