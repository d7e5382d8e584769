// graphs.cpp - what it costs to generate the task graph and the commands of one node, in time of the thread that does
// it.
//
// Each figure is also a number of steps of a fixed loop measured beside it ("loops"), so that machines can be compared.
// Horizons count as executed at once, and commands as done when they are made.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graph/command_graph.hpp"
#include "graph/instruction_graph.hpp"
#include "graph/task_graph.hpp"
#include "graphs/buffer_programs.hpp"
#include "peers/stretto/benchmarks.hpp"
#include "peers/stretto/calibration.hpp"

namespace {

using namespace stretto::graph;
using bench::graph_program;

using bench::thread_seconds;

bench::outcome figure(double seconds, double per, double unit = 1e6) { return bench::in_loops(seconds / per, unit); }

struct counted {
  std::size_t commands = 0, followed = 0;
};

/// One node's view of a job: the task graph; the commands of that node, if `nodes` is not 0; and its instructions, if
/// it has devices.
class node_view {
 public:
  node_view(const graph_program& p, long nodes, const horizon_policy& policy, long devices = 0) : tasks_(policy) {
    if (nodes > 0) commands_.emplace(static_cast<node_number>(nodes / 2), static_cast<node_number>(nodes));
    if (devices > 0) {
      node_shape has;
      for (long d = 1; d <= devices; ++d) has.devices.push_back(static_cast<memory_number>(d));
      instructions_.emplace(std::move(has));
    }
    for (const buffer& b : p.buffers) {
      tasks_.add(b);
      if (commands_) commands_->add(b);
      if (instructions_) instructions_->add(b, done_);
    }
  }
  void submit(const task& t) { do_commands(tasks_.add(t).id, t); }
  void finish_step() {
    if (const auto h = tasks_.add_horizon()) do_commands(h->id, horizon_);
  }
  counted count;
  std::size_t horizons = 0;

 private:
  void do_commands(task_id id, const task& t) {
    horizons += t.kind == task_kind::horizon;
    if (!commands_) return;
    made_.clear();
    commands_->add(id, t, made_);
    count.commands += made_.size();
    for (const command& c : made_) count.followed += c.follows.size();
    if (!instructions_) return;
    done_.clear();
    instructions_->add(id, t, made_, done_);
  }

  task_graph tasks_;
  std::optional<command_graph> commands_;
  std::optional<instruction_graph> instructions_;
  std::vector<command> made_;
  std::vector<instruction> done_;
  const task horizon_{.kind = task_kind::horizon, .range = {}, .accesses = {}, .reductions = {}, .name = {}};
};

/// Seconds for tasks [from, to) of the program, horizons and all.
double seconds_for(node_view& view, const graph_program& p, long from, long to) {
  const double begin = thread_seconds();
  for (long n = from; n < to; ++n) {
    view.submit(p.task(n));
    view.finish_step();
  }
  return thread_seconds() - begin;
}

struct apart {
  double tasks = 0, horizons = 0;
};

apart seconds_apart(node_view& view, const graph_program& p) {
  apart t;
  const bench::stopwatch all;
  for (long n = 0; n < p.tasks; ++n) {
    view.submit(p.task(n));
    const bench::stopwatch horizon;
    view.finish_step();
    t.horizons += horizon.seconds();
  }
  t.tasks = all.seconds() - t.horizons;
  return t;
}

constexpr horizon_policy by_step(long step) { return {.step = static_cast<std::uint64_t>(step), .most_parallel = 0}; }

bench::outcome generative_by_step(int axes, long step) {
  constexpr long nodes = 512, last = bench::generative_steps;
  const graph_program p = bench::generative(axes, nodes);
  node_view view(p, nodes, by_step(step));
  const double all = seconds_for(view, p, 0, last - 16);
  const double end = seconds_for(view, p, last - 16, last);
  auto o = figure(end, 16);
  o.facts.emplace_back("total_ms", (all + end) * 1e3);
  return o;
}

bench::outcome many_on(const graph_program& p, long nodes, long parallel) {
  node_view view(p, nodes, {.step = parallel == 0 ? 0u : 4u, .most_parallel = static_cast<std::uint64_t>(parallel)});
  return figure(seconds_for(view, p, 0, p.tasks), static_cast<double>(p.tasks));
}

bench::outcome by_step_on_16(const graph_program& p, long step, long tasks_of_a_step) {
  node_view view(p, 16, by_step(step));
  auto o =
      figure(seconds_for(view, p, 0, p.tasks), static_cast<double>(p.tasks) / static_cast<double>(tasks_of_a_step));
  node_view again(p, 16, by_step(step));
  const apart t = seconds_apart(again, p);
  if (again.horizons) o.facts.emplace_back("ns_per_horizon", t.horizons / static_cast<double>(again.horizons) * 1e9);
  o.facts.emplace_back("horizons_share", t.horizons / (t.tasks + t.horizons) * 100);
  return o;
}

/// Nanoseconds per task, made and dropped as often as it takes to measure.
bench::outcome topology(const graph_program& p, long nodes, long devices = 0) {
  const long rounds = 20'000 / p.tasks;
  const double begin = thread_seconds();
  for (long i = 0; i < rounds; ++i) {
    node_view view(p, nodes, {}, devices);
    seconds_for(view, p, 0, p.tasks);
  }
  const double seconds = thread_seconds() - begin;
  return figure(seconds, static_cast<double>(rounds * p.tasks), 1e9);
}

}  // namespace

bench::outcome time_generative_1d(const bench::options& o) { return generative_by_step(1, o.size); }
bench::outcome time_generative_2d(const bench::options& o) { return generative_by_step(2, o.size); }
bench::outcome time_generative_3d(const bench::options& o) { return generative_by_step(3, o.size); }

bench::outcome time_generative_on_nodes(const bench::options& o) {
  const graph_program p = bench::generative(2, o.size);
  node_view view(p, o.size, by_step(2));
  return figure(seconds_for(view, p, 0, p.tasks), static_cast<double>(p.tasks));
}

bench::outcome time_stencil_on_nodes(const bench::options& o) {
  const graph_program p = bench::stencil(2'000);
  node_view view(p, o.size, by_step(2));
  return figure(seconds_for(view, p, 0, p.tasks), static_cast<double>(p.tasks));
}

bench::outcome time_many_on_1(const bench::options& o) { return many_on(bench::many_tasks(5), 1, o.size); }
bench::outcome time_many_on_16(const bench::options& o) { return many_on(bench::many_tasks(5), 16, o.size); }
bench::outcome time_many_on_256(const bench::options& o) { return many_on(bench::many_tasks(5), 256, o.size); }
bench::outcome time_many_in_a_row_on_1(const bench::options& o) {
  return many_on(bench::many_tasks_in_a_row(5), 1, o.size);
}
bench::outcome time_many_in_a_row_on_16(const bench::options& o) {
  return many_on(bench::many_tasks_in_a_row(5), 16, o.size);
}
bench::outcome time_many_in_a_row_on_256(const bench::options& o) {
  return many_on(bench::many_tasks_in_a_row(5), 256, o.size);
}

// Of `size` nodes, of which 0 stands for the task graph alone, whose buffers are those of 4 nodes.
bench::outcome time_graph_of_chain(const bench::options& o) {
  return topology(bench::chain(o.size ? o.size : 4), o.size);
}
bench::outcome time_graph_of_soup(const bench::options& o) {
  return topology(bench::soup(o.size ? o.size : 4), o.size);
}
bench::outcome time_graph_of_expanding_tree(const bench::options& o) {
  return topology(bench::expanding_tree(o.size ? o.size : 4), o.size);
}
bench::outcome time_graph_of_contracting_tree(const bench::options& o) {
  return topology(bench::contracting_tree(o.size ? o.size : 4), o.size);
}
bench::outcome time_graph_of_wave(const bench::options& o) { return topology(bench::wave(), o.size); }
bench::outcome time_graph_of_jacobi(const bench::options& o) { return topology(bench::jacobi(), o.size); }

// All three graphs, of one node of 1, with `size` devices.
bench::outcome time_instructions_of_chain(const bench::options& o) { return topology(bench::chain(1), 1, o.size); }
bench::outcome time_instructions_of_soup(const bench::options& o) { return topology(bench::soup(1), 1, o.size); }
bench::outcome time_instructions_of_expanding_tree(const bench::options& o) {
  return topology(bench::expanding_tree(1), 1, o.size);
}
bench::outcome time_instructions_of_contracting_tree(const bench::options& o) {
  return topology(bench::contracting_tree(1), 1, o.size);
}
bench::outcome time_instructions_of_wave(const bench::options& o) { return topology(bench::wave(), 1, o.size); }
bench::outcome time_instructions_of_jacobi(const bench::options& o) { return topology(bench::jacobi(), 1, o.size); }

// Tasks and commands of one of 16 nodes, with horizons every `size` steps.
bench::outcome time_commands_of_wave(const bench::options& o) {
  return by_step_on_16(bench::stencil(2'000), o.size, 1);
}
bench::outcome time_commands_of_bodies(const bench::options& o) {
  return by_step_on_16(bench::bodies(2'000), o.size, 2);
}

// Of the time that a step takes on 512 nodes, by horizons every `size` steps.
bench::outcome measure_horizons(const bench::options& o) {
  const graph_program p = bench::generative(2, 512);
  node_view view(p, 512, by_step(o.size));
  const apart t = seconds_apart(view, p);
  return {.value = t.horizons / (t.tasks + t.horizons) * 100,
          .facts = {{"ns_per_horizon", t.horizons / static_cast<double>(view.horizons) * 1e9},
                    {"followed_per_command",
                     static_cast<double>(view.count.followed) / static_cast<double>(view.count.commands)}}};
}
