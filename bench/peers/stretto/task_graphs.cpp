// task_graphs.cpp - Stretto: Task Bench, in two ways that a program may choose from.
//
//   taskbench          a task per point and step, after the futures of its inputs; spawned while others run.
//   taskbench_static   the same tasks stand behind one event before the clock runs.
//
// Threads     worker 0 spawns; a task graph's futures belong to it.

#include <stretto/finish.hpp>
#include <stretto/task.hpp>

#include <span>

#include "peers/stretto/benchmarks.hpp"
#include "taskbench/task.hpp"

namespace {

using stretto::dependency;

// One task per point and step. Futures of the last row are all that is kept.
class spawner {
 public:
  spawner(const taskbench::graph& g, long iterations, stretto::event start = {})
      : graph_(g), iterations_(iterations), start_(start), where_(g), last_(g.is().width), next_(g.is().width) {}

  void spawn_all() {
    for (long t = 0; t < graph_.is().steps; ++t) {
      const long end = graph_.first(t) + graph_.width(t);
      for (long p = graph_.first(t); p < end; ++p) spawn(t, p);
      last_.swap(next_);
    }
  }

 private:
  void spawn(long t, long p) {
    const auto body = [this, t, p] { taskbench::run_task(graph_, t, p, where_, iterations_); };
    const std::span<const long> inputs = graph_.inputs(t, p);
    if (inputs.empty()) {
      next_[p] = start_ == stretto::event() ? stretto::async(body) : stretto::async(stretto::after(start_), body);
      return;
    }
    needs_.clear();
    for (const long q : inputs) needs_.push_back(last_[q]);
    next_[p] = stretto::async(std::span<const dependency>(needs_), body);
  }

  const taskbench::graph& graph_;
  const long iterations_;
  const stretto::event start_;
  taskbench::stamps where_;
  std::vector<stretto::future<>> last_, next_;
  std::vector<dependency> needs_;
};

}  // namespace

bench::outcome time_taskbench(const bench::options& o) {
  const taskbench::graph g = taskbench::graph_of(o);
  bind_workers(o);
  const bench::stopwatch clock;
  spawner tasks(g, o.iteration());
  stretto::finish([&] { tasks.spawn_all(); });
  return taskbench::report(g, o, clock.seconds());
}

bench::outcome time_taskbench_static(const bench::options& o) {
  const taskbench::graph g = taskbench::graph_of(o);
  bind_workers(o);
  const auto start = stretto::user_event::create();
  spawner tasks(g, o.iteration(), start);
  bench::stopwatch clock;
  stretto::finish([&] {
    tasks.spawn_all();
    clock = {};
    start.trigger();
  });
  return taskbench::report(g, o, clock.seconds());
}
