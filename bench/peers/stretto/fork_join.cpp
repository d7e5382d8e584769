// fork_join.cpp - Stretto: async with get, and async inside finish; without a manual cut-off.
//
// Threads     counters are per worker; a task looks up its worker where it counts, for it may have moved.

#include <stretto/finish.hpp>
#include <stretto/task.hpp>

#include "peers/stretto/benchmarks.hpp"
#include "uts/search.hpp"

namespace {

long fib(long n) {
  if (n < 2) return n;
  auto first = stretto::async([n] { return fib(n - 1); });
  const long second = fib(n - 2);
  return first.get() + second;
}

struct alignas(128) counter {
  long value = 0;
};

/// A task searches from a stack of its own, and gives the older half of it away where others have nothing to do.
struct splitter {
  const uts::tree& tree;
  std::vector<uts::padded>& counters;

  void search(std::vector<uts::node> stack) const {
    uts::padded& mine = counters[stretto::this_worker()];  // it never waits, so it never moves
    while (!stack.empty()) {
      const uts::node n = stack.back();
      stack.pop_back();
      const int children = tree.num_children(n);
      mine.visit(n, children);
      for (int i = 0; i < children; ++i) stack.push_back(tree.child(n, i));
      if (stack.size() > 1 && stretto::should_split()) {
        const auto middle = stack.begin() + static_cast<std::ptrdiff_t>(stack.size() / 2);
        stretto::async([this, older = std::vector(stack.begin(), middle)]() mutable { search(std::move(older)); });
        stack.erase(stack.begin(), middle);
      }
    }
  }
};

/// A task for every node but the last of its siblings, which its parent's task goes on with.
struct searcher {
  const uts::tree& tree;
  std::vector<uts::padded>& counters;

  void visit(uts::node n) const {
    for (;;) {
      const int children = tree.num_children(n);
      counters[stretto::this_worker()].visit(n, children);
      if (children == 0) return;
      for (int i = 0; i + 1 < children; ++i) stretto::async([this, child = tree.child(n, i)] { visit(child); });
      n = tree.child(n, children - 1);
    }
  }
};

}  // namespace

bench::outcome time_fib(const bench::options& o) {
  const bench::stopwatch clock;
  const long result = fib(o.size);
  const double ns = clock.nanoseconds_per(bench::fib_tasks(o.size));
  bench::expect("fib", result, bench::fib(o.size));
  return {ns};
}

bench::outcome time_empty(const bench::options& o) {
  std::vector<counter> done(o.workers);
  const bench::stopwatch clock;
  stretto::finish([&] {
    for (long i = 0; i < o.size; ++i) stretto::async([&done] { ++done[stretto::this_worker()].value; });
  });
  const double ns = clock.nanoseconds_per(o.size);
  long all = 0;
  for (const counter& c : done) all += c.value;
  bench::expect("number of tasks done", all, o.size);
  return {ns};
}

bench::outcome time_spawn_wait(const bench::options& o) {
  long sum = 0;
  const bench::stopwatch clock;
  for (long i = 0; i < o.size; ++i) sum += stretto::async([i] { return i; }).get();
  const double ns = clock.nanoseconds_per(o.size);
  bench::expect("sum of the results", sum, o.size * (o.size - 1) / 2);
  return {ns};
}

bench::outcome time_uts(const bench::options& o) {
  return uts::measure(o, [&](const uts::tree& t) {
    std::vector<uts::padded> counters(o.workers);
    const splitter splits{t, counters};
    stretto::finish([&] { splits.search({t.root()}); });
    return uts::sum(counters);
  });
}

bench::outcome time_uts_tasks(const bench::options& o) {
  return uts::measure(o, [&](const uts::tree& t) {
    std::vector<uts::padded> counters(o.workers);
    const searcher search{t, counters};
    stretto::finish([&] { search.visit(t.root()); });
    return uts::sum(counters);
  });
}
