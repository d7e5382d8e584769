// events.cpp - operations between nodes: events that depend on remote events, remote calls, grants of reservations.
//
// Source      event chains by fan-in and fan-out, and chains of grants over reservations: Treichler, Bauer, Aiken,
//             "Realm", PACT 2014, figures 4 and 5. The same programs run on simulated nodes in
//             peers/stretto/node_events.cpp and node_reservations.cpp.
#include <stretto/stretto.hpp>

#include <algorithm>
#include <random>
#include <vector>

#include "common/event_levels.hpp"

#include "peers/nodes/benchmarks.hpp"

using namespace stretto;

namespace {

/// An event of each node in turn, triggered once the one before has: a ring, built ahead, and a hop is from one node to
/// the next.
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
    for (std::uint32_t n = 1; n < job_nodes(); ++n)
      ends.push_back(async(at_node(n), call<&followers_of>(first, o.size)).get());
    const event end = merge(ends);
    const bench::stopwatch clock;
    first.trigger();
    wait(end);
    seconds += clock.seconds();
  }
  return {.value = static_cast<double>(turns * o.size * (job_nodes() - 1)) * 1e-6 / seconds};
}

namespace {

std::vector<user_event> mine;  // of this node, for the other ones

std::vector<user_event> make_events(long count) {
  mine.clear();
  for (long i = 0; i < count; ++i) mine.push_back(user_event::create());
  return mine;
}
void trigger_mine() {
  for (const user_event& e : mine) e.trigger();
}

}  // namespace

/// An event of this node that waits for events of the other nodes: --size of each.
bench::outcome count_fan_in(const bench::options& o) {
  need_several();
  if (this_node() != 0) return {};
  const long turns = 1 + o.steps / 5;
  double seconds = 0;
  for (long i = 0; i < turns; ++i) {
    std::vector<event> all;
    for (std::uint32_t n = 1; n < job_nodes(); ++n)
      for (const user_event& e : async(at_node(n), call<&make_events>(o.size)).get()) all.push_back(e);
    const event end = merge(all);
    const bench::stopwatch clock;
    std::vector<event> told;
    for (std::uint32_t n = 1; n < job_nodes(); ++n) told.push_back(async(at_node(n), call<&trigger_mine>()));
    wait(end);
    seconds += clock.seconds();
    wait(merge(told));
  }
  return {.value = static_cast<double>(turns * o.size * (job_nodes() - 1)) * 1e-6 / seconds};
}

namespace {

std::vector<user_event> make_levels() { return make_events(bench::levels * bench::tracks); }
/// Links this node's events; returns one that triggers behind its last level.
event link_levels(const std::vector<std::vector<user_event>>& of_nodes, event start, long fan) {
  return merge(bench::linked_levels(of_nodes, this_node(), start, fan));
}
long count_triggered() {
  const auto last = mine.end() - bench::tracks;
  return std::count_if(last, mine.end(), [](const user_event& e) { return e.has_triggered(); });
}

}  // namespace

/// Levels of events on all nodes, each behind --size events of the level before (common/event_levels.hpp).
bench::outcome time_levels_of_events(const bench::options& o) {
  if (this_node() != 0) return {};
  const long turns = 1 + o.steps / 100;
  double seconds = 0;
  for (long i = 0; i < turns; ++i) {
    const auto start = user_event::create();
    std::vector<std::vector<user_event>> of_nodes;
    for (std::uint32_t n = 0; n < job_nodes(); ++n) of_nodes.push_back(async(at_node(n), call<&make_levels>()).get());
    std::vector<event> ends;
    for (std::uint32_t n = 0; n < job_nodes(); ++n)
      ends.push_back(async(at_node(n), call<&link_levels>(of_nodes, event(start), o.size)).get());
    const event end = merge(ends);
    const bench::stopwatch clock;
    start.trigger();
    wait(end);
    seconds += clock.seconds();
    for (std::uint32_t n = 0; n < job_nodes(); ++n)
      bench::expect("events of the last level", async(at_node(n), call<&count_triggered>()).get(), bench::tracks);
  }
  return bench::per_level(seconds / static_cast<double>(turns), job_nodes(), o.size);
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
  return {.value = static_cast<double>(grants * job_nodes()) * 1e-6 /
                   seconds_of_grants<&take_turns>(reservation::create(), grants)};
}

namespace {

constexpr long links = 32;  // of a chain

reservation make_reservation() { return reservation::create(); }

/// Chains of this node; each link acquires one of the reservations, chosen at random, after the link before, and
/// releases it when it is granted. Returns an event that triggers behind all of them.
event make_chains(const std::vector<reservation>& all, event start, long chains) {
  std::minstd_rand numbers(11 + this_node());
  std::uniform_int_distribution<std::size_t> any(0, all.size() - 1);
  std::vector<event> ends;
  for (long c = 0; c < chains; ++c) {
    event before = start;
    for (long i = 0; i < links; ++i) {
      const reservation& r = all[any(numbers)];
      before = r.release(r.acquire(before));
    }
    ends.push_back(before);
  }
  return merge(ends);
}

/// Reservations that nodes have made in turn, and so many chains on each node. All links stand before the clock runs.
bench::outcome count_chained_grants(const bench::options& o, long chains, long reservations) {
  if (this_node() != 0) return {};
  const long turns = 1 + o.steps / 200;
  double seconds = 0;
  for (long i = 0; i < turns; ++i) {
    std::vector<reservation> all;
    for (long r = 0; r < reservations; ++r)
      all.push_back(async(at_node(static_cast<std::uint32_t>(r % job_nodes())), call<&make_reservation>()).get());
    const auto start = user_event::create();
    std::vector<event> ends;
    for (std::uint32_t n = 0; n < job_nodes(); ++n)
      ends.push_back(async(at_node(n), call<&make_chains>(all, event(start), chains)).get());
    const event end = merge(ends);
    const bench::stopwatch clock;
    start.trigger();
    wait(end);
    seconds += clock.seconds();
    for (const reservation& r : all) {
      wait(r.acquire());  // it is free
      r.destroy();
    }
  }
  return {.value = static_cast<double>(turns * job_nodes() * chains * links) * 1e-6 / seconds};
}

}  // namespace

bench::outcome count_grants_by_chains(const bench::options& o) { return count_chained_grants(o, o.size, 8); }
bench::outcome count_grants_by_reservations(const bench::options& o) { return count_chained_grants(o, 32, o.size); }
