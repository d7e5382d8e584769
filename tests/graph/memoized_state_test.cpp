#include "graph/memoized_state.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "graph/replication.hpp"

using namespace stretto;
using graph::node_number, graph::node_set, graph::passed, graph::replication;
using memoized_replication = graph::memoized_state<replication, passed>;

namespace {

const box every(0, 60);

/// An operation of a task on the replication state.
struct operation {
  int kind = 0;
  box where, own;
  node_set users;
  void run(replication& r, passed& does) const {
    switch (kind) {
      case 0: return r.written({where}, own.is_empty() ? std::vector<box>{} : std::vector<box>{own});
      case 1: return r.take(where, does.lacking);
      case 2: return r.written_everywhere(where);
      default: return r.send(where, users, does.sent);
    }
  }
};

operation any_operation(std::mt19937& random) {
  const auto below = [&](coordinate n) { return static_cast<coordinate>(random() % static_cast<unsigned>(n)); };
  const auto any_box = [&] {
    const coordinate at = below(60);
    return box(at, at + 1 + below(60 - at));
  };
  operation o;
  const coordinate drawn = below(10);
  o.kind = drawn < 4 ? 0 : drawn < 6 ? 1 : drawn < 7 ? 2 : 3;
  o.where = any_box();
  o.own = below(3) ? intersection(o.where, any_box()) : box();
  const auto first = static_cast<node_number>(below(4));
  o.users = node_set(first, first + 1 + static_cast<node_number>(below(4 - first)));
  return o;
}

}  // namespace

TEST_CASE("a loop of steps does the same as if nothing were remembered, over many seeds") {
  for (unsigned seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    replication plain(every, 1, 4);
    memoized_replication state(replication(every, 1, 4));
    std::vector<operation> loop(1 + random() % 12);
    for (auto& o : loop) o = any_operation(random);
    const auto both = [&](std::uint64_t shape, const operation& o) {
      passed expected;
      o.run(plain, expected);
      const passed& did = state.apply({shape, 1}, [&](replication& r, passed& does) { o.run(r, does); });
      REQUIRE(did.lacking == expected.lacking);
      REQUIRE(did.sent == expected.sent);
    };
    for (int round = 0; round < 40; ++round) {
      for (std::size_t i = 0; i < loop.size(); ++i) {
        both(i + 1, loop[i]);
        if (random() % 97 == 0) both(0, any_operation(random));  // an unnamed operation in between
        if (random() % 997 == 0) {                               // or the names change their meaning
          state.forget();
          for (auto& o : loop) o = any_operation(random);
        }
      }
    }
  }
}

TEST_CASE("recurring steps are looked up instead of computed, however long the program runs") {
  memoized_replication r(replication(every, 1, 4));
  int done = 0;
  std::size_t lacked = 0;
  for (int step = 0; step < 1'000; ++step) {
    r.apply({1, 0}, [&](replication& is, passed&) { ++done, is.written({every}, {box(15, 30)}); });
    lacked += r.apply({1, 1}, [&](replication& is, passed& does) {
                 ++done, is.take(box(14, 31), does.lacking);
               }).lacking.size();
  }
  CHECK(done <= 8);
  CHECK(lacked == 2'000);
}

TEST_CASE("steps that never recur are computed each time, and soon no longer stored") {
  memoized_replication r(replication(box(0, 100'000), 0, 2));
  int done = 0;
  for (coordinate step = 0; step < 50'000; ++step)
    r.apply({1, 0}, [&](replication& is, passed&) { ++done, is.written({box(2 * step, 2 * step + 1)}, {}); });
  CHECK(done == 50'000);
}
