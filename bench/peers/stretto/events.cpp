// events.cpp - Stretto: what an event costs one worker; the work is that of micro/event_work.hpp.
//
// A repetition does the work anew until it has been timed for a while, and reports its fastest pass: what disturbs a
// pass of some microseconds is never the work itself.

#include <stretto/event.hpp>

#include "micro/event_work.hpp"
#include "peers/stretto/benchmarks.hpp"

namespace {

constexpr double seconds_per_repetition = 0.01;

template <class Work>
bench::outcome fastest_pass(Work&& work) {
  work.setup();
  work.timed();
  double best = 1e300;
  for (double spent = 0; spent < seconds_per_repetition;) {
    work.setup();
    const bench::stopwatch clock;
    work.timed();
    const double seconds = clock.seconds();
    best = std::min(best, seconds);
    spent += seconds;
    if constexpr (requires { work.has_happened(); }) bench::expect("last event's state", work.has_happened(), true);
  }
  if constexpr (requires { work.finish(); }) work.finish();
  bench::expect("number of events left", static_cast<long>(stretto::current_event_statistics().untriggered), 0);
  return {best * 1e9 / work.operations()};
}

}  // namespace

bench::outcome time_event_chain(const bench::options& o) { return fastest_pass(bench::chain_trigger{o.size}); }
bench::outcome time_event_link(const bench::options& o) { return fastest_pass(bench::chain_create_and_link{o.size}); }
bench::outcome time_event_trigger(const bench::options& o) { return fastest_pass(bench::create_and_trigger{o.size}); }
bench::outcome time_event_merge(const bench::options& o) { return fastest_pass(bench::merge_and_trigger(o.size)); }
bench::outcome time_event_fan_out(const bench::options& o) { return fastest_pass(bench::fan_out{o.size}); }

// Triggers that arrive at an event, a second; the paper counts the same.
bench::outcome count_event_fan(const bench::options& o) {
  const double ns_per_edge = fastest_pass(bench::fan_in_and_out(o.size)).value;
  return {1e3 / ns_per_edge, {{"Mevents_per_s", 1e3 / ns_per_edge / static_cast<double>(o.size)}}};
}
