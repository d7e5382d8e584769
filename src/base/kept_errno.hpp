// kept_errno.hpp - keeps errno as the caller had it.
//
// Threads     of the scope: nothing in it may continue on another thread.
#pragma once

#include <cerrno>

namespace stretto::base {

/// At the end of the scope errno is what it was at the beginning.
class kept_errno {
 public:
  kept_errno() noexcept = default;
  kept_errno(const kept_errno&) = delete;
  ~kept_errno() { errno = value_; }

 private:
  const int value_ = errno;
};

}  // namespace stretto::base
