// The deque's own source, compiled again with atomics that report each access: see interleaving.hpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "base/asymmetric_fence.hpp"
#include "base/config.hpp"
#include "base/spin_lock.hpp"
#include "campaign.hpp"
#include "sched/interleaved_names.hpp"

// Names that the source uses in place of the real ones.
namespace stretto::interleaved::base {
namespace asymmetric {
inline void light() { test::machine::running->access(); }
inline void heavy() { test::machine::running->heavy_fence(); }
}  // namespace asymmetric
class spin_lock {
 public:
  bool try_lock() { return !taken_.exchange(true); }
  void lock() {
    while (!try_lock()) {
    }
  }
  void unlock() { taken_.store(false, ::std::memory_order_release); }

 private:
  test::watched<bool> taken_;
};
}  // namespace stretto::interleaved::base

#define sched interleaved
#include "sched/deque.cpp"
#include "sched/deque.hpp"
#undef sched

using stretto::interleaved::deque;
using stretto::interleaved::item;
using stretto::test::machine;

namespace {

struct ending {
  int wrong = 0;  // items that left never or more than once
  bool forced = false, asked = false, took = false;
};

/// An owner that pushes and pops at random, and thieves that steal at random.
ending play(unsigned seed, machine::fences fences) {
  std::mt19937 random(seed);
  machine m(seed, fences);
  deque d(2);
  ending seen;
  std::map<item, int> left;
  item pushed = 0;
  bool over = false;
  const auto count = [&left](item i) { ++left[i]; };

  const unsigned thieves = 1 + random() % 3, steps = 4 + random() % 24;
  m.add([&, choices = std::mt19937(seed + 1)]() mutable {
    for (unsigned n = 0; n < steps; ++n) switch (choices() % 16) {
        case 0: d.publish(); break;
        case 1:
        case 2: {
          d.push(++pushed);
          const item mine = pushed;
          if (d.pop_if(mine)) count(mine);
          break;
        }
        case 3:
        case 4:
        case 5:
        case 6:
        case 7:
        case 8:
          if (const item i = d.pop()) count(i);
          break;
        default: d.push(++pushed);
      }
    while (const item i = d.pop()) count(i);
    over = true;
  });
  for (unsigned t = 0; t < thieves; ++t)
    m.add([&, choices = std::mt19937(seed + 2 + t)]() mutable {
      item loot[4];
      while (!over) {
        std::size_t n = 0;
        switch (choices() % 8) {
          case 0:
          case 1:
          case 2: d.request_steal(), seen.asked = true; break;
          case 3:
            n = d.force_steal(loot, 1 + choices() % 4);
            seen.forced |= n > 0;
            break;
          default: n = d.take_offered(loot, 1 + choices() % 4); seen.took |= n > 0;
        }
        std::for_each(loot, loot + n, count);
        machine::running->access();
      }
    });
  m.run();
  for (item i = 1; i <= pushed; ++i) seen.wrong += left[i] != 1;
  return seen;
}

}  // namespace

TEST_CASE("every item leaves a deque exactly once, however owner and thieves interleave") {
  const unsigned seeds = stretto::test::scaled_of_one_thread(3000u, 300000u);
  unsigned asked = 0, forced = 0, took = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    const ending o = play(seed, machine::fences::work);
    asked += o.asked;
    forced += o.forced;
    took += o.took;
    REQUIRE(o.wrong == 0);
  }
  CHECK(asked > seeds / 10);
  CHECK(forced > seeds / 100);
  CHECK(took > seeds / 100);
}

TEST_CASE("without the thief's fence some interleaving of a deque goes wrong") {
  const unsigned seeds = 20000;
  unsigned seed = 1;
  while (seed <= seeds && play(seed, machine::fences::do_nothing).wrong == 0) ++seed;
  CHECK(seed <= seeds);
}
