// openmp.cpp - OpenMP tasks, built under two runtimes: libgomp with g++, libomp with clang.
//
// Threads     a team of exactly `workers`; one thread creates, the others help.
// Note        both runtimes run a task inline in a team of one, and libgomp also once 64 per thread
// are pending:
//             such figures are the price of a call, not of a queued task.

#include <omp.h>

#include <atomic>
#include <exception>
#include <string_view>

#include "common/measure.hpp"
#include "taskbench/task.hpp"
#include "uts/search.hpp"

namespace {

long fib(long n) {
  if (n < 2) return n;
  long first = 0;
#pragma omp task shared(first)
  first = fib(n - 1);
  const long second = fib(n - 2);
#pragma omp taskwait
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
  std::vector<counter> counters(o.workers);
  counter* const done = counters.data();
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) {
#pragma omp task firstprivate(done)
    ++done[omp_get_thread_num()].value;
  }
#pragma omp taskwait
  const double ns = clock.nanoseconds_per(o.size);
  long all = 0;
  for (const counter& c : counters) all += c.value;
  bench::expect("number of tasks done", all, o.size);
  return {ns};
}

bench::outcome time_chain(const bench::options& o) {
  long link = 0;
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) {
#pragma omp task shared(link) depend(inout : link)
    ++link;
  }
#pragma omp taskwait
  const double ns = clock.nanoseconds_per(o.size);
  bench::expect("number of hops", link, o.size);
  return {ns};
}

bench::outcome time_spawn_wait(const bench::options& o) {
  long sum = 0;
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) {
    long result = 0;
#pragma omp task shared(result) firstprivate(i)
    result = i;
#pragma omp taskwait
    sum += result;
  }
  const double ns = clock.nanoseconds_per(o.size);
  bench::expect("sum of the results", sum, o.size * (o.size - 1) / 2);
  return {ns};
}

// OpenMP has no promise; the nearest is a detached task, fulfilled by hand, that releases a
// dependent one.
bench::outcome time_handoff(const bench::options& o) {
  if (std::string_view(BENCH_SYSTEM) == "libomp" && o.workers == 1)
    throw bench::unsupported("libomp 16 stops with an assertion on detached tasks in a team of one");
  long turns = 0;
  [[maybe_unused]] long link = 0;  // g++ does not count a depend clause as a use
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) {
    omp_event_handle_t promise;
#pragma omp task detach(promise) depend(out : link)
    {}
#pragma omp task shared(turns) depend(in : link)
    ++turns;
    omp_fulfill_event(promise);
#pragma omp taskwait
  }
  const double ns = clock.nanoseconds_per(o.size);
  bench::expect("number of turns", turns, o.size);
  return {ns};
}

// A gate holds one thread of the team while the others' tasks pile up behind it.
bench::outcome measure_bytes(const bench::options& o) {
  if (o.workers == 1) throw bench::unsupported("a team of one never has pending tasks");
  std::atomic<int> gate{0};  // 1: someone stands in it, 2: open
  long done = 0;
  [[maybe_unused]] long link = 0;
#pragma omp task shared(gate) depend(out : link)
  {
    gate = 1;
    while (gate != 2) {
    }
  }
  while (gate != 1) {
  }
  const double before = bench::resident_bytes();
  for (long i = 0; i < o.size; ++i) {
#pragma omp task shared(done) depend(inout : link)
    ++done;
  }
  const double bytes = (bench::resident_bytes() - before) / o.size;
  gate = 2;
#pragma omp taskwait
  bench::expect("number of tasks done", done, o.size);
  return {bytes};
}

void visit(const uts::tree& tree, uts::padded* counters, const uts::node& n) {
  const int children = tree.num_children(n);
  counters[omp_get_thread_num()].visit(n, children);
  for (int i = 0; i < children; ++i) {
    const uts::node child = tree.child(n, i);
#pragma omp task firstprivate(child, counters) shared(tree)
    visit(tree, counters, child);
  }
}

bench::outcome time_uts(const bench::options& o) {
  return uts::measure(o, [&](const uts::tree& t) {
    std::vector<uts::padded> counters(o.workers);
#pragma omp taskgroup
    visit(t, counters.data(), t.root());
    return uts::sum(counters);
  });
}

bench::outcome time_taskbench(const bench::options& o) {
  const taskbench::graph g = taskbench::graph_of(o);
  taskbench::stamps where(g, 2);
  const long iterations = o.iteration();
  std::vector<taskbench::stamp*> in(g.max_inputs());
  const bench::stopwatch clock;
  for (long t = 0; t < o.steps; ++t)
    for (long p = g.first(t); p < g.first(t) + g.width(t); ++p) {
      const std::span<const long> needed = g.inputs(t, p);
      const long count = static_cast<long>(needed.size());
      for (long k = 0; k < count; ++k) in[k] = where.at(t - 1, needed[k]);
      taskbench::stamp* const out = where.at(t, p);
      if (count == 0) {
#pragma omp task shared(g, where) firstprivate(t, p, iterations) depend(out : *out)
        run_task(g, t, p, where, iterations);
      } else {
        taskbench::stamp** const from = in.data();
#pragma omp task shared(g, where) firstprivate(t, p, iterations) depend(iterator(long k = 0 : count), in : *from[k]) \
    depend(out : *out)
        run_task(g, t, p, where, iterations);
      }
    }
#pragma omp taskwait
  return taskbench::report(g, o, clock.seconds());
}

}  // namespace

int main(int argc, char** argv) {
  using bench::better;
  const bench::program system{
      .system = BENCH_SYSTEM,
      .entries = {{"fib", "ns/task", better::lower, 27, time_fib},
                  {"empty", "ns/task", better::lower, 1000000, time_empty},
                  {"chain", "ns/hop", better::lower, 100000, time_chain},
                  {"spawn_wait", "ns/task", better::lower, 100000, time_spawn_wait},
                  {"handoff", "ns/handoff", better::lower, 20000, time_handoff},
                  {"pending_bytes", "bytes/task", better::lower, 200000, measure_bytes, bench::repeat::once},
                  {"uts", "Mnodes/s", better::higher, 0, time_uts},
                  {"taskbench", "us/task", better::lower, 0, time_taskbench}},
      .with_workers = [](const bench::options& o, const std::function<void()>& body) {
        std::exception_ptr fault;  // none may leave the parallel region
#pragma omp parallel num_threads(o.workers) shared(fault, body)
#pragma omp single
        try {
          body();
        } catch (...) {
          fault = std::current_exception();
        }
        if (fault) std::rethrow_exception(fault);
      }};
  return bench::run(system, argc, argv);
}
