// dependences.cpp - Stretto: tasks after tasks, promises between tasks, and the memory of both.

#include <stretto/finish.hpp>
#include <stretto/task.hpp>

#include <sys/resource.h>

#include "peers/stretto/benchmarks.hpp"

namespace {

// Two tasks take turns. Each makes the promise that the other will keep before it keeps the one that the other waits
// for; so there are never more than two, and making them is part of the figure.
struct turns {
  stretto::promise<> to_first, to_second;
  long taken = 0;

  void hand_over(stretto::promise<>& mine, stretto::promise<>& others) {
    ++taken;
    mine = stretto::promise<>();
    const auto back = mine.get_future();
    stretto::promise<> now = std::move(others);
    now.set();
    back.get();
  }
};

double peak_resident_bytes() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return 1024.0 * static_cast<double>(used.ru_maxrss);
}

}  // namespace

bench::outcome time_chain(const bench::options& o) {
  long counter = 0;
  const bench::stopwatch clock;
  auto last = stretto::async([&counter] { ++counter; });
  for (long i = 1; i < o.size; ++i) last = stretto::async(stretto::after(last), [&counter] { ++counter; });
  last.get();
  const double ns = clock.nanoseconds_per(o.size);
  bench::expect("number of hops", counter, o.size);
  return {ns};
}

bench::outcome time_handoff(const bench::options& o) {
  turns t;
  t.to_second = stretto::promise<>();
  const auto begin = t.to_second.get_future();
  const bench::stopwatch clock;
  auto second = stretto::async([&] {
    begin.get();
    for (long i = 1; i < o.size; ++i) t.hand_over(t.to_second, t.to_first);
    ++t.taken;
    t.to_first.set();
  });
  auto first = stretto::async([&] {
    for (long i = 0; i < o.size; ++i) t.hand_over(t.to_first, t.to_second);
  });
  first.get();
  second.get();
  const double ns = clock.nanoseconds_per(2.0 * o.size);
  bench::expect("number of turns", t.taken, 2 * o.size);
  return {ns};
}

bench::outcome measure_pending_bytes(const bench::options& o) {
  long counter = 0;
  stretto::promise<> gate;
  stretto::future<> last = gate.get_future();
  const double before = bench::resident_bytes();
  for (long i = 0; i < o.size; ++i) last = stretto::async(stretto::after(last), [&counter] { ++counter; });
  const double bytes = (bench::resident_bytes() - before) / static_cast<double>(o.size);
  gate.set();
  last.get();
  bench::expect("number of hops", counter, o.size);
  return {bytes};
}

// Peak resident memory of the whole process; an idle one takes most of it.
bench::outcome measure_many_tasks(const bench::options& o) {
  const double before = peak_resident_bytes();
  const bench::stopwatch clock;
  stretto::finish([&] {
    for (long i = 0; i < o.size; ++i) stretto::async([] {});
  });
  const double seconds = clock.seconds();
  return {peak_resident_bytes() / 1e6, {{"MB_before", before / 1e6}, {"seconds", seconds}}};
}
