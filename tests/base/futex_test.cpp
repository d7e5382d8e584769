// futex_test.cpp - sleeps that end at once leave errno as the caller had it.
#include <doctest/doctest.h>

#include <atomic>
#include <cerrno>

#include "base/futex.hpp"

namespace stretto::base {

TEST_CASE("a sleep that ends at once, or when its time is over, leaves errno as it was") {
  std::atomic<std::uint32_t> word{1};
  errno = EDOM;
  futex_wait(word, 0);
  CHECK(errno == EDOM);
  futex_wait_for(word, 0, 1);
  CHECK(errno == EDOM);
  futex_wait_for(word, 1, 1);
  CHECK(errno == EDOM);
}

}  // namespace stretto::base
