// When the operations of simulated devices begin and end: what docs/guide/devices.md says of engines, wires and
// streams, in numbers.
#include "device/sim/timeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "campaign.hpp"

namespace stretto::device::sim {
namespace {

/// All ends, by operation. Taken late, at the times that next_end says, or at once.
std::map<std::uint64_t, double> ends_of(timeline& t) {
  std::map<std::uint64_t, double> ends;
  while (const auto at = t.next_end()) ends[t.take_next_ended(*at).value()] = *at;
  return ends;
}

timed_operation lasting(std::uint64_t id, double seconds, engine* on, engine* wires = nullptr) {
  timed_operation o;
  o.id = id;
  o.seconds = seconds;
  o.on = on;
  o.also_on = wires;
  return o;
}

using doctest::Approx;

}  // namespace

TEST_CASE("operations of one stream follow one another, those of several streams share an engine in turn") {
  timeline t;
  engine computes;
  const auto a = t.add_stream(), b = t.add_stream();
  t.enqueue(a, lasting(1, 2, &computes), 0);
  t.enqueue(a, lasting(2, 3, &computes), 0);
  t.enqueue(b, lasting(3, 1, &computes), 0);
  const auto ends = ends_of(t);
  CHECK(ends.at(1) == Approx(2));
  CHECK(ends.at(2) > ends.at(1) + 3 - 1e-9);
  CHECK(std::max(ends.at(2), ends.at(3)) == Approx(6));  // the engine never rests
}

TEST_CASE("one copy engine takes both directions in turn, two take them side by side") {
  for (const bool apart : {false, true}) {
    timeline t;
    engine in, out;
    const auto a = t.add_stream(), b = t.add_stream();
    t.enqueue(a, lasting(1, 2, &in), 0);
    t.enqueue(b, lasting(2, 2, apart ? &out : &in), 0);
    CHECK(ends_of(t).at(2) == Approx(apart ? 2 : 4));
  }
}

TEST_CASE("devices that share wires get half of their speed each, as long as both copy") {
  for (const bool shared : {false, true}) {
    timeline t;
    engine engines[2], wires[2];
    std::vector<std::size_t> streams{t.add_stream(), t.add_stream()};
    for (std::uint64_t i = 0; i < 20; ++i)
      t.enqueue(streams[i % 2], lasting(i, 1, &engines[i % 2], &wires[shared ? 0 : i % 2]), 0);
    const auto ends = ends_of(t);
    double last = 0;
    for (const auto& [id, at] : ends) last = std::max(last, at);
    CHECK(last == Approx(shared ? 20 : 10));
  }
}

TEST_CASE("a stream that waits for a marker goes on when it is reached; no operation begins before it was enqueued") {
  timeline t;
  engine one, other;
  const auto a = t.add_stream(), b = t.add_stream();
  const auto mark = std::make_shared<point>();
  timed_operation waits = lasting(2, 1, &other);
  waits.waits_for = mark;
  t.enqueue(b, waits, 0);
  timed_operation first = lasting(1, 5, &one);
  t.enqueue(a, first, 1);
  timed_operation marks = lasting(3, 0, nullptr);
  marks.marks = mark;
  t.enqueue(a, marks, 1);
  const auto ends = ends_of(t);
  CHECK(ends.at(1) == Approx(6));
  CHECK(ends.at(2) == Approx(7));
}

TEST_CASE("times follow from what was enqueued when, however late they are queried") {
  std::mt19937 random(5);
  for (int round = 0; round < test::scaled_of_one_thread(100, 10000); ++round) {
    struct asked {
      std::size_t stream;
      std::uint64_t id;
      double seconds, at;
      std::size_t engine;
    };
    std::vector<asked> all;
    double now = 0;
    for (std::uint64_t id = 0; id < 1 + random() % 12; ++id) {
      now += static_cast<double>(random() % 3);
      all.push_back({random() % 3, id, static_cast<double>(1 + random() % 4), now, random() % 2});
    }
    // Looks as soon as something may have ended, or only in the end.
    const auto play = [&](bool looks) {
      timeline t;
      engine engines[2];
      std::size_t streams[3];
      for (std::size_t& s : streams) s = t.add_stream();
      std::map<std::uint64_t, double> ends;
      const auto take = [&](double until) {
        for (auto at = t.next_end(); at && *at <= until; at = t.next_end()) ends[t.take_next_ended(*at).value()] = *at;
      };
      for (const asked& a : all) {
        if (looks) take(a.at);
        t.enqueue(streams[a.stream], lasting(a.id, a.seconds, &engines[a.engine]), a.at);
      }
      take(1e9);
      return ends;
    };
    const auto soon = play(true), late = play(false);
    CHECK(soon.size() == all.size());
    for (const asked& a : all) CHECK(soon.at(a.id) >= a.at + a.seconds - 1e-9);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (all[k].stream == all[i].stream) CHECK(soon.at(all[i].id) >= soon.at(all[k].id) + all[i].seconds - 1e-9);
    double busy = 0;
    for (const asked& a : all) busy += a.seconds;
    for (const auto& [id, at] : late) CHECK(at <= all.back().at + busy + 1e-9);
    CHECK(soon == late);
  }
}

}  // namespace stretto::device::sim
