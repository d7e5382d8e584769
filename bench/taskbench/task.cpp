#include "taskbench/task.hpp"

#include <cstdio>
#include <cstdlib>

namespace taskbench {

bool has_its_inputs(const graph& g, long t, long p, std::span<const stamp* const> in) {
  const std::span<const long> wanted = g.inputs(t, p);
  if (in.size() != wanted.size()) return false;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (in[i]->step != t - 1 || in[i]->point != wanted[i]) return false;
  return true;
}

void run_task(const graph& g, long t, long p, std::span<const stamp* const> in, stamp* out, long iterations) {
  if (!has_its_inputs(g, t, p, in)) {
    std::fprintf(stderr, "taskbench: task (step %ld, point %ld) ran without its inputs\n", t, p);
    std::abort();
  }
  compute(iterations);
  *out = {t, p};
}

void run_task(const graph& g, long t, long p, stamps& where, long iterations) {
  const std::span<const long> wanted = g.inputs(t, p);
  const stamp* near[16];
  if (wanted.size() <= std::size(near)) {
    for (std::size_t i = 0; i < wanted.size(); ++i) near[i] = where.at(t - 1, wanted[i]);
    return run_task(g, t, p, {near, wanted.size()}, where.at(t, p), iterations);
  }
  std::vector<const stamp*> many;
  for (long q : wanted) many.push_back(where.at(t - 1, q));
  run_task(g, t, p, many, where.at(t, p), iterations);
}

graph graph_of(const bench::options& o) {
  return graph({.pattern = pattern_named(o.pattern), .width = o.width, .steps = o.steps, .radix = o.radix});
}

bench::outcome report(const graph& g, const bench::options& o, double seconds) {
  const double tasks = static_cast<double>(g.tasks());
  return {seconds * 1e6 * o.workers / tasks,
          {{"seconds", seconds}, {"tasks", tasks}, {"flops_per_s", flops(o.iteration()) * tasks / seconds}}};
}

}  // namespace taskbench
