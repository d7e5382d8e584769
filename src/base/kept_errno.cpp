#include "base/kept_errno.hpp"

#include <cerrno>

namespace stretto::base {

[[gnu::noinline]] int errno_of_thread() noexcept {
  asm volatile("");  // else the compiler takes calls of a function that it has seen for one
  return errno;
}

[[gnu::noinline]] void set_errno_of_thread(int value) noexcept {
  asm volatile("");
  errno = value;
}

}  // namespace stretto::base
