// retired_numbers.hpp - keeps the number of a communicator that a rank has freed while receives wait for its messages.
//
// Messages are matched by the number of their communicator. So a new communicator must not get the number while the
// rank still receives messages of the freed one. Pending sends need no such care: ranks agree on a number that all of
// them have free, and the receiving rank holds the number until it has the message.
//
// Threads     any thread of the rank.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ranks/communicators/communicator.hpp"
#include "ranks/messages/mailbox.hpp"

namespace stretto::ranks {

class retired_numbers {
 public:
  explicit retired_numbers(mailbox& of) : mailbox_(of) {}

  /// Called before MPI_Comm_free deletes the communicator: keeps its numbers if receives wait for its messages.
  void keep(const communicator& freed);
  /// Called before the rank creates a communicator: gives up the numbers for which no receive waits any more.
  void release();

 private:
  struct kept_numbers {
    context_number context;
    std::shared_ptr<const void> numbers;  // free for others once the last reference ends
  };

  mailbox& mailbox_;
  std::mutex mutex_;
  std::vector<kept_numbers> all_;
};

}  // namespace stretto::ranks
