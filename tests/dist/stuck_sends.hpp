// stuck_sends.hpp - how far the machine may let a sender get ahead of what limits it.
#pragma once

#include <chrono>

namespace stretto::test {

/// A sender whose receiver makes no progress for 100 ms sends a message anyway, and then one each 5 ms (back pressure,
/// in dist). So a busy machine that stops a receiver lets its senders get ahead, by at most a message each 5 ms.
class stuck_sends {
 public:
  /// The most that each sender has sent that way since this object was made.
  long most() const { return (std::chrono::steady_clock::now() - since_) / std::chrono::milliseconds(5); }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

}  // namespace stretto::test
