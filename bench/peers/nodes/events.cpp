// events.cpp - what nodes ask of one another: events behind events of others, functions there, grants.
#include <stretto/stretto.hpp>

#include <vector>

#include "peers/nodes/benchmarks.hpp"

using namespace stretto;

namespace {

/// An event of each node in turn, triggered once the one before has: a ring, built ahead, and a hop is from one node to the next.
user_event made_behind(event before) {
  const auto e = user_event::create();
  e.trigger(before);
  return e;
}

}  // namespace

bench::outcome time_ring(const bench::options& o) {
  need_several();
  if (this_node() != 0) return {};
  const long hops = o.steps * job_nodes();
  const auto first = user_event::create();
  event e = first;
  for (long i = 1; i <= hops; ++i) {
    const auto next = static_cast<std::uint32_t>(i % job_nodes());
    e = next ? async(at_node(next), call<&made_behind>(e)).get() : made_behind(e);
  }
  const bench::stopwatch clock;
  first.trigger();
  wait(e);
  return {.value = clock.seconds() * 1e6 / static_cast<double>(hops)};
}

namespace {

/// So many events of this node behind one of another; returns one that triggers behind all of them.
event followers_of(event e, long count) {
  std::vector<event> all;
  for (long i = 0; i < count; ++i) all.push_back(made_behind(e));
  return merge(all);
}

}  // namespace

/// Events of the other nodes that wait for one of this: --size on each.
bench::outcome count_fan_out(const bench::options& o) {
  need_several();
  if (this_node() != 0) return {};
  const long turns = 1 + o.steps / 5;
  double seconds = 0;
  for (long i = 0; i < turns; ++i) {
    const auto first = user_event::create();
    std::vector<event> ends;
    for (std::uint32_t n = 1; n < job_nodes(); ++n) ends.push_back(async(at_node(n), call<&followers_of>(first, o.size)).get());
    const event end = merge(ends);
    const bench::stopwatch clock;
    first.trigger();
    wait(end);
    seconds += clock.seconds();
  }
  return {.value = static_cast<double>(turns * o.size * (job_nodes() - 1)) * 1e-6 / seconds};
}

namespace {

long counted(long n) { return n + 1; }

}  // namespace

/// A function on the other node and its value back: half of that.
bench::outcome time_calls(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const long turns = 10 * o.steps;
  long n = 0;
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) n = async(at_node(1), call<&counted>(n)).get();
  if (n != turns) throw bench::wrong_answer("a call was lost");
  return {.value = clock.seconds() * 1e6 / (2.0 * static_cast<double>(turns))};
}

namespace {

/// So many grants of a reservation, each behind the one ten before.
void take_turns(reservation r, long grants) {
  std::vector<event> released;
  for (long i = 0; i < grants; ++i) {
    const event granted = i < 10 ? r.acquire() : r.acquire(released[static_cast<std::size_t>(i - 10)]);
    released.push_back(r.release(granted));
  }
  wait(merge(released));
}

/// All nodes want one reservation all the time; `program(r, grants)` is what each does.
template <auto program>
double seconds_of_grants(reservation r, long grants) {
  std::vector<future<void>> others;
  const bench::stopwatch clock;
  for (std::uint32_t n = 1; n < job_nodes(); ++n) others.push_back(async(at_node(n), call<program>(r, grants)));
  program(r, grants);
  for (auto& other : others) other.get();
  return clock.seconds();
}

}  // namespace

bench::outcome count_grants(const bench::options& o) {
  if (this_node() != 0) return {};
  const long grants = 10 * o.steps;
  return {.value = static_cast<double>(grants * job_nodes()) * 1e-6 / seconds_of_grants<&take_turns>(reservation::create(), grants)};
}
