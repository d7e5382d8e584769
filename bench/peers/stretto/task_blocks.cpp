// task_blocks.cpp - Stretto: Task Bench with a block of points per worker, as an MPI program has one per rank.
//
// A block is one task for all steps, bound to its worker. How far it is, others learn from the phases of its barrier:
// phase t has happened once those of its points of step t that other blocks need have run. They come first in each
// step, so that the rest of the step hides the time that the news takes.
//
// Threads     a block's members belong to its task; barriers and stamps are shared, ordered by the phases.

#include <stretto/barrier.hpp>
#include <stretto/finish.hpp>
#include <stretto/task.hpp>

#include <algorithm>

#include "peers/stretto/benchmarks.hpp"
#include "taskbench/task.hpp"

namespace {

struct shared_state {
  shared_state(const taskbench::graph& g, const bench::options& o)
      : graph(g), iterations(o.iteration()), blocks(o.workers), where(g) {
    for (long b = 0; b < blocks; ++b) progress.push_back(stretto::barrier::create(1));
  }
  ~shared_state() {
    for (const auto& b : progress) b.destroy();
  }
  long owner(long point) const { return point * blocks / graph.is().width; }
  /// The first point p with owner(p) >= block.
  long first_of(long block) const { return (block * graph.is().width + blocks - 1) / blocks; }

  const taskbench::graph& graph;
  const long iterations;
  const long blocks;
  taskbench::stamps where;
  std::vector<stretto::barrier> progress;  // by block: phase 0
};

class block {
 public:
  block(shared_state& all, long number)
      : all_(all), number_(number), others_(all.progress), plans_(all.graph.period()) {
    for (long t = 0; t < all.graph.period(); ++t) plans_[t] = plan_of(t);
    tells_ = std::any_of(plans_.begin(), plans_.end(), [](const plan& p) { return p.told > 0; });
  }

  void run() {
    const long steps = all_.graph.is().steps, period = all_.graph.period();
    stretto::barrier mine = all_.progress[number_];
    for (long t = 0; t < steps; ++t) {
      const plan& now = plans_[t % period];
      for (std::size_t i = 0; i < now.told; ++i) visit(now.order[i], t);
      if (tells_) {
        mine.arrive();
        mine = mine.advance();
      }
      for (std::size_t i = now.told; i < now.order.size(); ++i) visit(now.order[i], t);
    }
  }

 private:
  struct stop {
    long point;
    std::vector<long> sources;  // other blocks that it has inputs from
  };
  struct plan {  // of one step in each period
    std::vector<stop> order;
    std::size_t told = 0;  // so many of them, the first ones, are needed by other blocks
  };

  plan plan_of(long t) const {
    const auto& g = all_.graph;
    plan made;
    for (long p = all_.first_of(number_); p < all_.first_of(number_ + 1); ++p) {
      stop s{p, {}};
      for (const long q : g.unclipped_inputs(t, p))
        if (const long b = all_.owner(q); b != number_ && std::ranges::find(s.sources, b) == s.sources.end())
          s.sources.push_back(b);
      made.order.push_back(std::move(s));
    }
    const auto is_told = [&](const stop& s) {
      return std::ranges::any_of(g.unclipped_outputs(t, s.point), [&](long q) { return all_.owner(q) != number_; });
    };
    const auto rest = std::stable_partition(made.order.begin(), made.order.end(), is_told);
    made.told = static_cast<std::size_t>(rest - made.order.begin());
    return made;
  }

  void visit(const stop& s, long t) {
    if (!all_.graph.contains(t, s.point)) return;
    for (const long b : s.sources) wait_for(b, t);
    taskbench::run_task(all_.graph, t, s.point, all_.where, all_.iterations);
  }

  /// Until block `b` has run what others need of step t - 1.
  void wait_for(long b, long t) {
    stretto::barrier& next = others_[b];
    if (next.phase() >= static_cast<std::uint64_t>(t)) return;
    while (next.phase() + 1 < static_cast<std::uint64_t>(t)) next = next.advance();  // phases happen in order
    stretto::wait(next);
    next = next.advance();
  }

  shared_state& all_;
  const long number_;
  std::vector<stretto::barrier> others_;  // by block: the first phase that is not known to have happened
  std::vector<plan> plans_;
  bool tells_ = false;
};

}  // namespace

void bind_workers(const bench::options& o) {
  stretto::finish([&] {
    for (int i = 0; i < o.workers; ++i)
      stretto::async(stretto::on(stretto::worker(static_cast<std::uint32_t>(i))), [i] { bench::bind_to_core(i); });
  });
}

bench::outcome time_taskbench_blocks(const bench::options& o) {
  const taskbench::graph g = taskbench::graph_of(o);
  bind_workers(o);
  shared_state all(g, o);
  // As the MPI program does, everybody gets ready and meets before the clock runs.
  const auto ready = stretto::barrier::create(static_cast<std::uint32_t>(o.workers));
  bench::stopwatch clock;
  stretto::finish([&] {
    for (long b = 0; b < o.workers; ++b)
      stretto::async(stretto::on(stretto::worker(static_cast<std::uint32_t>(b))), [&all, &clock, ready, b] {
        block mine(all, b);
        ready.arrive();
        stretto::wait(ready);
        if (b == 0) clock = {};
        mine.run();
      });
  });
  const double seconds = clock.seconds();
  ready.destroy();
  return taskbench::report(g, o, seconds);
}
