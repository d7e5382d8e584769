// retired_numbers.hpp - numbers of communicators that the program has freed while receives wait for their messages: no
// other communicator may have them yet.
//
// A pending send needs no number: its receive has the other side's.
//
// Threads     any of the rank.
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

  /// The communicator is about to be freed.
  void keep(const communicator& freed);
  /// Gives up the numbers for which no receive waits any more.
  void release();

 private:
  struct kept_numbers {
    context_number context;
    std::shared_ptr<const void> numbers;
  };

  mailbox& mailbox_;
  std::mutex mutex_;
  std::vector<kept_numbers> all_;
};

}  // namespace stretto::ranks
