// looking_test.cpp - how long a worker looks on before it sleeps.
#include "sched/adaptive_spin.hpp"

#include <doctest/doctest.h>

namespace stretto::sched {
namespace {

TEST_CASE("who waits a little, again and again, looks for twice as long") {
  looking l(50'000, 1'000'000);
  CHECK(l.how_long() == 50'000);
  l.waited(120'000);
  CHECK(l.how_long() == 240'000);
  l.waited(700'000);
  CHECK(l.how_long() == 1'000'000);
}

TEST_CASE("who waits for longer than is looked soon sleeps as early as ever") {
  looking l(50'000, 1'000'000);
  l.waited(900'000);
  std::uint64_t in_vain = 0;
  for (int waits = 0; waits < 8; ++waits) {
    in_vain += l.how_long() - l.least();
    l.waited(2'000'001);
  }
  CHECK(l.how_long() == 50'000);
  CHECK(in_vain < 2'000'000);  // all that it costs, until something comes soon again
}

TEST_CASE("who waits a little longer than is looked, as who sleeps makes others do, looks for as long as ever is") {
  looking l(50'000, 1'000'000);
  for (int waits = 0; waits < 4; ++waits) {
    l.waited(1'200'000);
    CHECK(l.how_long() == 1'000'000);
  }
}

TEST_CASE("one short wait among longer ones does not make it impatient") {
  looking l(50'000, 1'000'000);
  l.waited(300'000);
  l.waited(0);
  CHECK(l.how_long() > 300'000);
  for (int waits = 0; waits < 64; ++waits) l.waited(1'000);
  CHECK(l.how_long() == 50'000);
}

TEST_CASE("where the most is not more than the least, it is always as long") {
  looking l(50'000, 0);
  CHECK_FALSE(l.adapts());
  for (const std::uint64_t each : {1u, 10'000u, 60'000u, 5'000'000u}) {
    l.waited(each);
    CHECK(l.how_long() == 50'000);
  }
  CHECK(looking(0, 0).how_long() == 0);
}

}  // namespace
}  // namespace stretto::sched
