// adaptive_spin_test.cpp - how long an idle worker spins before it sleeps.
#include "sched/adaptive_spin.hpp"

#include <doctest/doctest.h>

namespace stretto::sched {
namespace {

TEST_CASE("a worker spins for twice as long as its last short wait took") {
  adaptive_spin l(50'000, 1'000'000);
  CHECK(l.spin_ns() == 50'000);
  l.record_wait(120'000);
  CHECK(l.spin_ns() == 240'000);
  l.record_wait(700'000);
  CHECK(l.spin_ns() == 1'000'000);
}

TEST_CASE("long waits soon reduce the spin time to the minimum") {
  adaptive_spin l(50'000, 1'000'000);
  l.record_wait(900'000);
  std::uint64_t in_vain = 0;
  for (int waits = 0; waits < 8; ++waits) {
    in_vain += l.spin_ns() - l.min_ns();
    l.record_wait(2'000'001);
  }
  CHECK(l.spin_ns() == 50'000);
  CHECK(in_vain < 2'000'000);  // the whole cost, until something arrives soon again
}

TEST_CASE("a wait slightly longer than the maximum, as sleeping workers cause it, keeps the spin time at the maximum") {
  adaptive_spin l(50'000, 1'000'000);
  for (int waits = 0; waits < 4; ++waits) {
    l.record_wait(1'200'000);
    CHECK(l.spin_ns() == 1'000'000);
  }
}

TEST_CASE("one short wait among longer ones reduces the spin time only slowly") {
  adaptive_spin l(50'000, 1'000'000);
  l.record_wait(300'000);
  l.record_wait(0);
  CHECK(l.spin_ns() > 300'000);
  for (int waits = 0; waits < 64; ++waits) l.record_wait(1'000);
  CHECK(l.spin_ns() == 50'000);
}

TEST_CASE("a maximum that is not above the minimum makes the spin time constant") {
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
