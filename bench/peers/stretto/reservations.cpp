// reservations.cpp - Stretto: reservations and barriers, driven by events alone.

#include <stretto/barrier.hpp>
#include <stretto/reservation.hpp>
#include <stretto/task.hpp>

#include <random>

#include "peers/stretto/benchmarks.hpp"

using stretto::barrier;
using stretto::event;
using stretto::reservation;

bench::outcome count_uncontended_grants(const bench::options& o) {
  const auto r = reservation::create();
  long held_at_once = 0;
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) {
    held_at_once += r.acquire() == event();
    r.release();
  }
  const double seconds = clock.seconds();
  r.destroy();
  bench::expect("number of grants", held_at_once, o.size);
  return {static_cast<double>(o.size) / seconds / 1e6};
}

// 1,024 chains; each link acquires one of `size` reservations, chosen at random, after the link before, and releases it
// when it is granted. All links stand before the clock runs.
bench::outcome count_chained_grants(const bench::options& o) {
  constexpr long chains = 1024, links = 64;
  std::vector<reservation> all(o.size);
  for (auto& r : all) r = reservation::create();
  std::minstd_rand numbers(11);
  std::uniform_int_distribution<std::size_t> any(0, all.size() - 1);
  const auto start = stretto::user_event::create();
  const bench::stopwatch building;
  std::vector<event> ends;
  for (long c = 0; c < chains; ++c) {
    event before = start;
    for (long i = 0; i < links; ++i) {
      const reservation& r = all[any(numbers)];
      before = r.release(r.acquire(before));
    }
    ends.push_back(before);
  }
  const event end = stretto::merge(ends);
  const double built = building.seconds();
  const bench::stopwatch clock;
  start.trigger();
  stretto::wait(end);
  const double seconds = clock.seconds();
  for (const auto& r : all) {
    bench::expect("reservation is free", r.try_acquire(), true);
    r.release();
    r.destroy();
  }
  return {chains * links / seconds / 1e6, {{"built_Mgrants_per_s", chains * links / built / 1e6}}};
}

bench::outcome time_barrier(const bench::options& o) {
  const auto first = barrier::create(1);
  auto b = first;
  long happened = 0;
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) {
    b.arrive();
    happened += b.has_triggered();
    b = b.advance();
  }
  const double ns = clock.nanoseconds_per(static_cast<double>(o.size));
  first.destroy();
  bench::expect("number of phases", happened, o.size);
  return {ns};
}
