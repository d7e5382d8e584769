// mobile_objects.cpp - messages to local mobile objects, migrations, and quiescence.
#include <stretto/stretto.hpp>

#include <algorithm>
#include <vector>

#include "peers/nodes/benchmarks.hpp"

using namespace stretto;

namespace {

struct counter {
  long count = 0;
  void ping() { ++count; }
};

struct payload {
  std::vector<char> content;
  template <class Archive>
  friend void fields(Archive& a, archived<payload, Archive>& x) {
    a(x.content);
  }
};

/// Nanoseconds that a message takes more than an async: the difference of medians over `rounds`, interleaved, after a
/// warm-up of both. by_async(n) and by_send(n) return the seconds of n.
///   count   asyncs or messages per round
template <class Async, class Send>
bench::outcome compare(Async&& by_async, Send&& by_send, long count) {
  constexpr int rounds = 11;
  std::vector<double> asyncs, sends;
  by_async(count), by_send(count);
  for (int i = 0; i < rounds; ++i) asyncs.push_back(by_async(count)), sends.push_back(by_send(count));
  const double scale = 1e9 / static_cast<double>(count), async = bench::median(asyncs) * scale,
               send = bench::median(sends) * scale;
  return {.value = send - async, .facts = {{"async", async}, {"send", send}, {"asyncs", send / async}}};
}

/// Compares asyncs with messages to an object of this node. all(n, issue) calls issue n times and waits for all.
template <class All>
bench::outcome compare_with_asyncs(const bench::options& o, All&& all) {
  if (this_node() != 0) return {};
  const auto here = make_mobile<counter>();
  long n = 0;
  const auto seconds_of = [&all](auto&& issue) {
    return [&all, issue](long count) {
      const bench::stopwatch clock;
      all(count, issue);
      return clock.seconds();
    };
  };
  const auto result = compare(seconds_of([&n] { return async([&n] { ++n; }); }),
                              seconds_of([&here] { return send(here, call<&counter::ping>()); }), 10 * o.steps);
  bench::expect("messages handled", send(here, call([](const counter& p) { return p.count; })).get(), n);
  destroy(here).get();
  return result;
}

}  // namespace

/// Microseconds from the send of a message to an object of the other node, without a wait for it, to quiescence.
bench::outcome time_quiescence(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const auto there = make_mobile<counter>(at_node(1));
  const long turns = o.steps;
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) {
    detached([&] { send(there, call<&counter::ping>()); });
    wait(quiescence());
  }
  const double seconds = clock.seconds();
  if (send(there, call([](const counter& p) { return p.count; })).get() != turns)
    throw bench::wrong_answer("a message was lost");
  destroy(there).get();
  return {.value = seconds * 1e6 / static_cast<double>(turns)};
}

/// A message to an object of this node and a wait for it, compared with an async and a wait.
bench::outcome compare_near(const bench::options& o) {
  return compare_with_asyncs(o, [](long count, auto&& issue) {
    for (long i = 0; i < count; ++i) issue().get();
  });
}

/// The same for many asyncs or messages and one wait for all of them.
bench::outcome compare_near_in_flood(const bench::options& o) {
  return compare_with_asyncs(o, [](long count, auto&& issue) {
    finish([&] {
      for (long i = 0; i < count; ++i) issue();
    });
  });
}

/// Microseconds of one migration of an object with o.size bytes: half of the way to the other node and back.
bench::outcome time_migration(const bench::options& o) {
  need_two();
  if (this_node() != 0) return {};
  const long turns = o.size > 200'000 ? o.steps / 5 : o.steps;
  const auto m = make_mobile<payload>(std::vector<char>(static_cast<std::size_t>(o.size), 'a'));
  migrate(m, at_node(1)).get(), migrate(m, at_node(0)).get();
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) migrate(m, at_node(1)).get(), migrate(m, at_node(0)).get();
  const double seconds = clock.seconds();
  const auto left =
      send(m, call([](const payload& l) { return std::count(l.content.begin(), l.content.end(), 'a'); })).get();
  bench::expect("bytes of the object", left, o.size);
  destroy(m).get();
  return {.value = seconds * 1e6 / (2.0 * static_cast<double>(turns))};
}
