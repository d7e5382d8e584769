#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>

#include "trace/clock.hpp"

using namespace stretto::trace;

TEST_CASE("the clock never runs backwards within a thread or from one thread to the next") {
  ticks last = stretto::trace::clock::now();
  for (int i = 0; i < 10'000; ++i) {
    const ticks next = stretto::trace::clock::now();
    REQUIRE(next >= last);
    last = next;
  }
  ticks elsewhere = 0;
  std::thread([&] { elsewhere = stretto::trace::clock::now(); }).join();
  CHECK(elsewhere >= last);
  CHECK(stretto::trace::clock::now() >= elsewhere);
}

TEST_CASE("the clock has chosen a source and says which") {
  const auto s = stretto::trace::clock::chosen_source();
  CHECK(s != stretto::trace::clock::source::unknown);
  CHECK(s == stretto::trace::clock::chosen_source());
  const std::string name = stretto::trace::clock::name(s);
  CHECK((name == "cycle counter" || name == "steady clock"));
}

TEST_CASE("calibrated ticks agree with the steady clock") {
  using std::chrono::steady_clock;
  const auto steady_ns = [] { return std::chrono::nanoseconds(steady_clock::now().time_since_epoch()).count(); };
  stretto::trace::clock::start();
  // The tick was read between the two steady times, so its steady time lies between them.
  const auto before = steady_ns();
  const ticks at = stretto::trace::clock::now();
  const auto after = steady_ns();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const calibration c = stretto::trace::clock::calibrate();
  const auto said = c.steady_origin_ns + c.nanoseconds(at);
  const double elapsed = static_cast<double>(after - c.steady_origin_ns);
  const auto tolerance = static_cast<std::int64_t>(1'000 + elapsed * 1e-3);  // a part in a thousand
  CHECK(said >= before - tolerance);
  CHECK(said <= after + tolerance);
}

TEST_CASE("nanoseconds are monotone in ticks and negative before the origin") {
  const calibration c{.origin = 1'000'000, .ns_per_tick = 0.3851};
  CHECK(c.nanoseconds(1'000'000) == 0);
  CHECK(c.nanoseconds(0) == -385'100);
  std::int64_t last = c.nanoseconds(990'000);
  for (ticks t = 990'001; t < 1'010'000; ++t) {
    REQUIRE(c.nanoseconds(t) >= last);
    last = c.nanoseconds(t);
  }
  CHECK(last == 3850);
}

TEST_CASE("a duration converts at the calibrated rate") {
  const double rate = stretto::trace::clock::calibrate().ns_per_tick;
  CHECK(rate > 0);
  CHECK(stretto::trace::clock::to_nanoseconds(1'000'000) == doctest::Approx(1e6 * rate).epsilon(0.01));
}
