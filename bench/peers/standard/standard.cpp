// standard.cpp - the standard library: std::async, a thread per task, and promises between two
// threads.
//
// Threads     as many as there are tasks: the standard gives no pool, so the worker count does not
// apply.

#include <future>
#include <vector>

#include "common/measure.hpp"

namespace {

// A thread per spawn bounds the sizes; a deferred launch would be no task at all.
template <class Body>
auto spawn(Body&& body) {
  return std::async(std::launch::async, std::forward<Body>(body));
}

long fib(long n) {
  if (n < 2) return n;
  auto first = spawn([n] { return fib(n - 1); });
  const long second = fib(n - 2);
  return first.get() + second;
}

bench::outcome time_fib(const bench::options& o) {
  const bench::stopwatch clock;
  const long result = fib(o.size);
  const double ns = clock.nanoseconds_per(bench::fib_tasks(o.size));
  bench::expect("fib", result, bench::fib(o.size));
  return {ns};
}

bench::outcome time_empty(const bench::options& o) {
  const bench::stopwatch clock;
  long done = 0;
  for (long left = o.size; left > 0; left -= 64) {  // at most 64 threads at a time
    std::vector<std::future<void>> some;
    for (long i = 0; i < std::min(left, 64L); ++i) some.push_back(spawn([] {}));
    for (std::future<void>& f : some) f.get(), ++done;
  }
  const double ns = clock.nanoseconds_per(o.size);
  bench::expect("number of tasks done", done, o.size);
  return {ns};
}

bench::outcome time_spawn_wait(const bench::options& o) {
  const bench::stopwatch clock;
  long sum = 0;
  for (long i = 0; i < o.size; ++i) sum += spawn([i] { return i; }).get();
  const double ns = clock.nanoseconds_per(o.size);
  bench::expect("sum of the results", sum, o.size * (o.size - 1) / 2);
  return {ns};
}

// Two threads, each waiting for a promise of the other: 2 * size hand-offs.
bench::outcome time_handoff(const bench::options& o) {
  std::vector<std::promise<void>> ping(o.size), pong(o.size);
  long answered = 0;
  const bench::stopwatch clock;
  auto other = spawn([&] {
    for (long i = 0; i < o.size; ++i) {
      ping[i].get_future().wait();
      ++answered;
      pong[i].set_value();
    }
  });
  for (long i = 0; i < o.size; ++i) {
    ping[i].set_value();
    pong[i].get_future().wait();
  }
  other.get();
  const double ns = clock.nanoseconds_per(2.0 * o.size);
  bench::expect("number of answers", answered, o.size);
  return {ns};
}

}  // namespace

int main(int argc, char** argv) {
  using bench::better;
  const bench::program standard{.system = "std",
                                .entries = {{"fib", "ns/task", better::lower, 14, time_fib},
                                            {"empty", "ns/task", better::lower, 5000, time_empty},
                                            {"spawn_wait", "ns/task", better::lower, 2000, time_spawn_wait},
                                            {"handoff", "ns/handoff", better::lower, 5000, time_handoff}}};
  return bench::run(standard, argc, argv);
}
