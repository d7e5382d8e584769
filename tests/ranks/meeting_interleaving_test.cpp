// meeting_interleaving_test.cpp - the meeting of ranks, with atomics that report each access: see interleaving.hpp.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <vector>

#include "campaign.hpp"
#include "sched/interleaved_names.hpp"

#define ranks interleaved
#include "../../src/ranks/process/meeting_point.hpp"
#undef ranks

namespace {

using stretto::interleaved::meeting_point;
using stretto::test::machine;

struct meeting_rank {
  unsigned shown = 0, sum = 0;  // plain: read by the last rank, written by it
  stretto::test::watched<bool> is_resumed;
};

enum class waits { yes, no };  // no: to see that the test can fail

/// Ranks add numbers in several meetings; returns how many sums were wrong.
unsigned wrong_sums(unsigned seed, waits wait) {
  constexpr unsigned turns = 5;
  const std::size_t count = 2 + seed % 9;
  machine m(seed, machine::fences::work);
  meeting_point<meeting_rank> point(count);
  std::vector<meeting_rank> entries(count * turns);
  std::vector<meeting_rank*> present(count);  // for ranks that do not wait: the point has no entry of some
  const auto shown_by = [&](std::size_t rank) { return wait == waits::yes ? &point.entry(rank) : present[rank]; };
  const auto meet = [&](std::size_t rank, meeting_rank& own) {
    present[rank] = &own;
    if (point.come(rank, own)) {
      unsigned sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += shown_by(i) ? shown_by(i)->shown : 0;
      for (std::size_t i = 0; i < count; ++i)
        if (shown_by(i)) shown_by(i)->sum = sum;
      point.resume_others(rank, [](meeting_rank& one) { one.is_resumed.store(true, std::memory_order_release); });
    } else if (wait == waits::yes) {
      while (!own.is_resumed.load(std::memory_order_acquire)) {
      }
    }
  };
  unsigned wrong = 0;
  for (std::size_t rank = 0; rank < count; ++rank)
    m.add([&, rank] {
      for (unsigned turn = 0; turn < turns; ++turn) {
        meeting_rank& own = entries[rank * turns + turn];
        own.shown = (turn + 1) * static_cast<unsigned>(rank + 1);
        meet(rank, own);
        wrong += own.sum != (turn + 1) * static_cast<unsigned>(count * (count + 1) / 2);
      }
    });
  m.run();
  return wrong;
}

}  // namespace

TEST_CASE("in each meeting all ranks get the sum of what all have shown, however they interleave") {
  const unsigned seeds = stretto::test::scaled_of_one_thread(2000u, 200000u);
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    REQUIRE(wrong_sums(seed, waits::yes) == 0);
  }
}

TEST_CASE("ranks that do not wait in a meeting get wrong sums") {
  unsigned seed = 1;
  while (seed <= 100 && wrong_sums(seed, waits::no) == 0) ++seed;
  CHECK(seed <= 100);
}
