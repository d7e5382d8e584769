// serial.cpp - the floor: the same work with plain calls, and the flop rate of one core.
//
// Threads     one.

#include "common/measure.hpp"
#include "taskbench/task.hpp"
#include "uts/search.hpp"

namespace {

// Not inlined into itself by the optimiser: a call per spawn is what the other systems replace by a
// task.
[[gnu::noinline, gnu::optimize("no-optimize-sibling-calls")]] long fib(long n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

bench::outcome time_fib(const bench::options& o) {
  const bench::stopwatch clock;
  const long result = fib(o.size);
  const double ns = clock.nanoseconds_per(bench::fib_tasks(o.size));
  bench::expect("fib", result, bench::fib(o.size));
  return {ns};
}

bench::outcome time_uts(const bench::options& o) {
  return uts::measure(o, [](const uts::tree& t) { return uts::search_serial(t); });
}

bench::outcome time_taskbench(const bench::options& o) {
  const taskbench::graph g = taskbench::graph_of(o);
  taskbench::stamps where(g);
  const bench::stopwatch clock;
  for (long t = 0; t < o.steps; ++t)
    for (long p = g.first(t); p < g.first(t) + g.width(t); ++p) run_task(g, t, p, where, o.iteration());
  return taskbench::report(g, o, clock.seconds());
}

}  // namespace

int main(int argc, char** argv) {
  using bench::better;
  const bench::program serial{.system = "serial",
                              .entries = {{"fib", "ns/task", better::lower, 30, time_fib},
                                          {"uts", "Mnodes/s", better::higher, 0, time_uts},
                                          {"taskbench", "us/task", better::lower, 0, time_taskbench}},
                              .with_workers = [](const bench::options& o, const std::function<void()>& body) {
                                if (o.workers != 1) throw bench::unsupported("a serial program has one worker");
                                body();
                              }};
  return bench::run(serial, argc, argv);
}
