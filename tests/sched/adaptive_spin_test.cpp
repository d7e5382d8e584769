// looking_test.cpp - how long a worker looks on before it sleeps.
#include "sched/adaptive_spin.hpp"

#include <doctest/doctest.h>

namespace stretto::sched {
namespace {

TEST_CASE("who waits a little, again and again, looks for twice as long") {
  adaptive_spin l(50'000, 1'000'000);
  CHECK(l.spin_ns() == 50'000);
  l.record_wait(120'000);
  CHECK(l.spin_ns() == 240'000);
  l.record_wait(700'000);
  CHECK(l.spin_ns() == 1'000'000);
}

TEST_CASE("who waits for longer than is looked soon sleeps as early as ever") {
  adaptive_spin l(50'000, 1'000'000);
  l.record_wait(900'000);
  std::uint64_t in_vain = 0;
  for (int waits = 0; waits < 8; ++waits) {
    in_vain += l.spin_ns() - l.min_ns();
    l.record_wait(2'000'001);
  }
  CHECK(l.spin_ns() == 50'000);
  CHECK(in_vain < 2'000'000);  // all that it costs, until something comes soon again
}

TEST_CASE("who waits a little longer than is looked, as who sleeps makes others do, looks for as long as ever is") {
  adaptive_spin l(50'000, 1'000'000);
  for (int waits = 0; waits < 4; ++waits) {
    l.record_wait(1'200'000);
    CHECK(l.spin_ns() == 1'000'000);
  }
}

TEST_CASE("one short wait among longer ones does not make it impatient") {
  adaptive_spin l(50'000, 1'000'000);
  l.record_wait(300'000);
  l.record_wait(0);
  CHECK(l.spin_ns() > 300'000);
  for (int waits = 0; waits < 64; ++waits) l.record_wait(1'000);
  CHECK(l.spin_ns() == 50'000);
}

TEST_CASE("where the most is not more than the least, it is always as long") {
  adaptive_spin l(50'000, 0);
  CHECK_FALSE(l.is_adaptive());
  for (const std::uint64_t each : {1u, 10'000u, 60'000u, 5'000'000u}) {
    l.record_wait(each);
    CHECK(l.spin_ns() == 50'000);
  }
  CHECK(adaptive_spin(0, 0).spin_ns() == 0);
}

}  // namespace
}  // namespace stretto::sched
