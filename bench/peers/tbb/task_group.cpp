// task_group.cpp - oneTBB: fork-join by task_group, hand-offs by resumable tasks. Flow graphs:
// flow_graph.cpp.
//
// Threads     an arena of exactly `workers`, of which the calling thread is one.

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "common/measure.hpp"
#include "peers/tbb/flow_graph.hpp"
#include "uts/search.hpp"

namespace {

long fib(long n) {
  if (n < 2) return n;
  long first = 0;
  tbb::task_group group;
  group.run([&first, n] { first = fib(n - 1); });
  const long second = fib(n - 2);
  group.wait();
  return first + second;
}

bench::outcome time_fib(const bench::options& o) {
  const bench::stopwatch clock;
  const long result = fib(o.size);
  const double ns = clock.nanoseconds_per(bench::fib_tasks(o.size));
  bench::expect("fib", result, bench::fib(o.size));
  return {ns};
}

struct alignas(128) counter {
  long value = 0;
};

bench::outcome time_empty(const bench::options& o) {
  std::vector<counter> done(o.workers);
  tbb::task_group group;
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) group.run([&done] { ++done[tbb::this_task_arena::current_thread_index()].value; });
  group.wait();
  const double ns = clock.nanoseconds_per(o.size);
  long all = 0;
  for (const counter& c : done) all += c.value;
  bench::expect("number of tasks done", all, o.size);
  return {ns};
}

bench::outcome time_spawn_wait(const bench::options& o) {
  long sum = 0;
  tbb::task_group group;
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) {
    long result = 0;
    group.run([&result, i] { result = i; });
    group.wait();
    sum += result;
  }
  const double ns = clock.nanoseconds_per(o.size);
  bench::expect("sum of the results", sum, o.size * (o.size - 1) / 2);
  return {ns};
}

// Two tasks suspend alternately. A task publishes its suspension point and then resumes the other task, inside
// its own suspension: the running task always finds the other one suspended.
bench::outcome time_handoff(const bench::options& o) {
  tbb::task::suspend_point first{}, second{};
  long turns = 0;
  tbb::task_group group;
  const bench::stopwatch clock;
  group.run([&] {
    tbb::task::suspend([&](tbb::task::suspend_point here) {
      first = here;
      group.run([&] {
        for (long i = 0; i < o.size; ++i) {
          ++turns;
          tbb::task::suspend([&](tbb::task::suspend_point there) {
            second = there;
            tbb::task::resume(first);
          });
        }
        tbb::task::resume(first);
      });
    });
    for (long i = 0; i < o.size; ++i) {
      ++turns;
      tbb::task::suspend([&](tbb::task::suspend_point there) {
        first = there;
        tbb::task::resume(second);
      });
    }
  });
  group.wait();
  const double ns = clock.nanoseconds_per(2.0 * o.size);
  bench::expect("number of turns", turns, 2 * o.size);
  return {ns};
}

struct searcher {
  const uts::tree& tree;
  std::vector<uts::padded>& counters;
  tbb::task_group& group;

  void visit(const uts::node& n) const {
    const int children = tree.num_children(n);
    counters[tbb::this_task_arena::current_thread_index()].visit(n, children);
    for (int i = 0; i < children; ++i) group.run([this, child = tree.child(n, i)] { visit(child); });
  }
};

// One task per node and a single join, as for every task system.
bench::outcome time_uts(const bench::options& o) {
  return uts::measure(o, [&](const uts::tree& t) {
    std::vector<uts::padded> counters(o.workers);
    tbb::task_group group;
    const searcher search{t, counters, group};
    search.visit(t.root());
    group.wait();
    return uts::sum(counters);
  });
}

}  // namespace

int main(int argc, char** argv) {
  using bench::better;
  const bench::program system{
      .system = "tbb",
      .entries = {{"fib", "ns/task", better::lower, 30, time_fib},
                  {"empty", "ns/task", better::lower, 1000000, time_empty},
                  {"chain", "ns/hop", better::lower, 100000, time_flow_chain},
                  {"spawn_wait", "ns/task", better::lower, 200000, time_spawn_wait},
                  {"handoff", "ns/handoff", better::lower, 100000, time_handoff},
                  {"pending_bytes", "bytes/task", better::lower, 200000, measure_flow_bytes, bench::repeat::once},
                  {"uts", "Mnodes/s", better::higher, 0, time_uts},
                  {"taskbench", "us/task", better::lower, 0, time_flow_taskbench},
                  {"taskbench_static", "us/task", better::lower, 0, time_flow_taskbench_static}},
      .with_workers = [](const bench::options& o, const std::function<void()>& body) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, o.workers);
        tbb::task_arena arena(o.workers, 1);
        arena.execute(body);
      }};
  return bench::run(system, argc, argv);
}
