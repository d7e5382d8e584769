#include <doctest/doctest.h>

#include "trace/sampler.hpp"

using stretto::trace::sampler;

TEST_CASE("long tasks are all timed") {
  sampler s({.short_task = 100});
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(s.take());
    s.record(100);
  }
  CHECK(s.timed() == 1000);
  CHECK(s.estimated_ticks() == 100'000);
}

TEST_CASE("of short tasks about one in a thousand is timed, and the count is exact") {
  sampler s({.most_period = 1024, .short_task = 100, .seed = 7});
  constexpr std::uint64_t tasks = 10'000'000;
  for (std::uint64_t i = 0; i < tasks; ++i)
    if (s.take()) s.record(10);
  CHECK(s.count() == tasks);
  CHECK(s.timed() > tasks / 1024 * 95 / 100);
  CHECK(s.timed() < tasks / 1024 * 105 / 100 + 20);
  CHECK(s.estimated_ticks() <= 10 * tasks);
  CHECK(s.estimated_ticks() >= 10 * (tasks - 1536));
}

TEST_CASE("no two timed tasks are further apart than one and a half periods") {
  sampler s({.most_period = 8, .short_task = 100, .seed = 3});
  int since = 0;
  for (int i = 0; i < 100'000; ++i) {
    ++since;
    if (s.take()) {
      s.record(1);
      since = 0;
    }
    REQUIRE(since < 12);
  }
}

TEST_CASE("tasks that repeat with the period of the sampler are timed fairly") {
  sampler s({.most_period = 1024, .short_task = 1'000'000, .seed = 5});
  std::uint64_t really = 0;
  for (int i = 0; i < 20'000'000; ++i) {
    const std::uint64_t duration = i % 1024 == 1023 ? 50'000 : 10;
    really += duration;
    if (s.take()) s.record(duration);
  }
  // A fixed distance of 1024 would find all of the long ones or none: off by a factor of 17 or 800.
  CHECK(static_cast<double>(s.estimated_ticks()) == doctest::Approx(static_cast<double>(really)).epsilon(0.5));
}

TEST_CASE("one long task makes the sampler look closely again") {
  sampler s({.most_period = 64, .short_task = 100});
  for (int i = 0; i < 1000; ++i)
    if (s.take()) s.record(1);
  while (!s.take()) {
  }
  s.record(5000);
  CHECK(s.take());
}

TEST_CASE("the same seed chooses the same tasks") {
  sampler a({.seed = 11}), b({.seed = 11}), c({.seed = 12});
  bool same = true, other = false;
  for (int i = 0; i < 100'000; ++i) {
    const bool first = a.take(), second = b.take(), third = c.take();
    same = same && first == second;
    other = other || first != third;
    if (first) a.record(1);
    if (second) b.record(1);
    if (third) c.record(1);
  }
  CHECK(same);
  CHECK(other);
}
