#include "peers/tbb/flow_graph.hpp"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <deque>

#include "taskbench/task.hpp"

namespace {

namespace flow = tbb::flow;
using step = flow::continue_node<flow::continue_msg>;

// `length` nodes, each after the one before, that count their calls.
struct chain {
  chain(long length, long& counter) {
    for (long i = 0; i < length; ++i) {
      nodes.emplace_back(graph, [&counter](const flow::continue_msg&) { ++counter; });
      if (i > 0) flow::make_edge(nodes[i - 1], nodes[i]);
    }
  }
  flow::graph graph;
  std::deque<step> nodes;
};

// One node per task; the rows without inputs are started by hand.
struct flow_tasks {
  flow_tasks(const taskbench::graph& g, long iterations) : where(g) {
    const long columns = g.is().width;
    std::vector<step*> row(columns), next(columns);
    for (long t = 0; t < g.is().steps; ++t) {
      for (long p = g.first(t); p < g.first(t) + g.width(t); ++p) {
        nodes.emplace_back(graph, [&g, this, t, p, iterations](const flow::continue_msg&) {
          taskbench::run_task(g, t, p, where, iterations);
        });
        next[p] = &nodes.back();
        for (long q : g.inputs(t, p)) flow::make_edge(*row[q], nodes.back());
        if (g.inputs(t, p).empty()) sources.push_back(&nodes.back());
      }
      row.swap(next);
    }
  }
  void run() {
    for (step* s : sources) s->try_put(flow::continue_msg());
    graph.wait_for_all();
  }
  taskbench::stamps where;
  flow::graph graph;
  std::deque<step> nodes;
  std::vector<step*> sources;
};

// Binds each thread that enters the arena to a core, as the other systems' threads are bound.
struct binding : tbb::task_scheduler_observer {
  binding() { observe(true); }
  ~binding() override { observe(false); }
  void on_scheduler_entry(bool) override { bench::bind_to_core(tbb::this_task_arena::current_thread_index()); }
};

void bind_threads() {
  static const binding for_ever;
  bench::bind_to_core(tbb::this_task_arena::current_thread_index());
}

}  // namespace

bench::outcome time_flow_chain(const bench::options& o) {
  long counter = 0;
  const bench::stopwatch clock;
  chain links(o.size, counter);
  links.nodes.front().try_put(flow::continue_msg());
  links.graph.wait_for_all();
  const double ns = clock.nanoseconds_per(o.size);
  bench::expect("number of hops", counter, o.size);
  return {ns};
}

bench::outcome measure_flow_bytes(const bench::options& o) {
  long counter = 0;
  const double before = bench::resident_bytes();
  chain links(o.size, counter);
  const double bytes = (bench::resident_bytes() - before) / o.size;
  links.nodes.front().try_put(flow::continue_msg());
  links.graph.wait_for_all();
  bench::expect("number of hops", counter, o.size);
  return {bytes};
}

bench::outcome time_flow_taskbench(const bench::options& o) {
  const taskbench::graph g = taskbench::graph_of(o);
  bind_threads();
  const bench::stopwatch clock;
  flow_tasks tasks(g, o.iteration());
  tasks.run();
  return taskbench::report(g, o, clock.seconds());
}

bench::outcome time_flow_taskbench_static(const bench::options& o) {
  const taskbench::graph g = taskbench::graph_of(o);
  bind_threads();
  flow_tasks tasks(g, o.iteration());
  const bench::stopwatch clock;
  tasks.run();
  return taskbench::report(g, o, clock.seconds());
}
