// kept_errno.hpp - keeps errno as the caller had it.
//
// Threads     the scope may continue on another thread, whose errno is then set.
#pragma once

namespace stretto::base {

/// errno of the calling thread. These are calls, since compilers keep the address of errno across suspensions.
int errno_of_thread() noexcept;
void set_errno_of_thread(int value) noexcept;

/// At the end of the scope errno is what it was at the beginning.
class kept_errno {
 public:
  kept_errno() noexcept : value_(errno_of_thread()) {}
  kept_errno(const kept_errno&) = delete;
  ~kept_errno() { set_errno_of_thread(value_); }

 private:
  const int value_;
};

}  // namespace stretto::base
