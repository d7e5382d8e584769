#include "dist/known_ends.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dist/rank_set.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {
namespace {

using ends_of_slot = known_ends<std::uint32_t, int>;  // an int is what waits
using report = std::vector<std::pair<std::uint32_t, failure_ref>>;

failure_ref some_failure() {
  return detail::make_failure(std::make_exception_ptr(std::runtime_error("no")), "a test", {});
}

TEST_CASE("a generation is asked for once, and one report ends all that waits below it, each with its own failure") {
  ends_of_slot ends(1);
  CHECK(ends.ask(1).second);
  CHECK_FALSE(ends.ask(1).second);
  ends.ask(1).first.waiting = 10;
  ends.ask(2).first.waiting = 20;
  CHECK(ends.ask(3).second);  // nothing waits for it
  ends.ask(4).first.waiting = 40;
  CHECK(ends.take_ended().empty());

  const failure_ref why = some_failure();
  ends.learn(4, report{{2, why}});
  CHECK(ends.ended_below() == 4);
  const auto ended = ends.take_ended();
  REQUIRE(ended.size() == 2);
  CHECK(ended[0].waiting == 10);
  CHECK_FALSE(ended[0].cause);
  CHECK(ended[1].waiting == 20);
  CHECK(ended[1].cause.get() == why.get());
  CHECK(ends.cause_of(2).get() == why.get());
  CHECK_FALSE(ends.cause_of(3));
  CHECK(ends.queries().size() == 1);
}

TEST_CASE("a node infers the end of the next generation, and of a later one that it has asked for") {
  ends_of_slot ends(1);
  CHECK_FALSE(ends.infer(3));  // nobody here waits for it
  CHECK_FALSE(ends.has_ended(3));
  ends.ask(3).first.waiting = 30;
  CHECK(ends.infer(3));
  CHECK(ends.has_ended(3));
  CHECK_FALSE(ends.has_ended(2));
  REQUIRE(ends.take_ended().size() == 1);
  CHECK_FALSE(ends.infer(3));
  CHECK(ends.infer(1));
  CHECK(ends.ended_below() == 2);
  CHECK(ends.infer(2));
  CHECK(ends.ended_below() == 4);
}

TEST_CASE("the report of the owner does not change an inferred end") {
  ends_of_slot ends(1);
  ends.ask(2);
  REQUIRE(ends.infer(2));
  ends.learn(3, report{{1, some_failure()}, {2, some_failure()}});
  CHECK(ends.cause_of(1));
  CHECK_FALSE(ends.cause_of(2));
}

TEST_CASE("inferred ends above a gap are limited in number: then a notification is wanted") {
  ends_of_slot ends(1);
  for (std::uint32_t n = 2; n < 2 + ends_of_slot::most_inferred; ++n) {
    ends.ask(n);
    CHECK(ends.infer(n) == (n < 1 + ends_of_slot::most_inferred));
  }
}

TEST_CASE("once the owner is lost, everything that waits ends with that failure, and nothing is inferred") {
  ends_of_slot ends(1);
  ends.ask(1);
  ends.ask(2).first.waiting = 20;
  const failure_ref why = some_failure();
  const auto ended = ends.fail(why);
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].waiting == 20);
  CHECK(ended[0].cause.get() == why.get());
  CHECK(ends.failure().get() == why.get());
  CHECK_FALSE(ends.infer(1));
}

TEST_CASE("a set of ranks holds each once, in ascending order") {
  rank_set set;
  CHECK_FALSE(set.contains(0));
  for (const rank r : {5, 2, 5}) set.add(r);
  CHECK(set.contains(2));
  CHECK_FALSE(set.contains(3));
  CHECK_FALSE(set.contains(60));
  std::vector<rank> all;
  set.for_each([&](rank r) { all.push_back(r); });
  CHECK(all == std::vector<rank>{2, 5});
}

}  // namespace
}  // namespace stretto::dist
