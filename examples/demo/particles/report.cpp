#include <fmt/format.h>

#include "chart/chart.hpp"
#include "demo/particles/run.hpp"

namespace particles {
namespace {

std::string count(std::uint32_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

}  // namespace

std::string to_text(const report& r) {
  std::string text = fmt::format("{} in {} x {} patches, {}, on {} with {} each; balanced every {}\n",
                                 count(r.what.count, "particle"), r.patches.x, r.patches.y, count(r.what.steps, "step"),
                                 count(r.nodes, "node"), count(r.workers, "worker"), count(r.each, "step"));
  text += fmt::format("  serial loop{:>9.3f} s\n\n", r.serial_seconds);
  text += "                                    imbalance of time   imbalance of pairs\n";
  text += "  balancer     seconds  times none     mean    largest     mean    largest    rounds    moves\n";
  for (const measured& m : r.runs) {
    const summary time = summary_of(m.loads.of_time, r.warm_up()), pairs = summary_of(m.loads.of_pairs, r.warm_up());
    const double gain = r.gain(m);
    text += fmt::format("  {:<10}{:>10.3f}{:>12}{:>9.3f}{:>11.3f}{:>9.3f}{:>11.3f}{:>10}{:>9}\n", m.balancer, m.seconds,
                        gain > 0 ? fmt::format("{:.2f}", gain) : "-", time.mean, time.most, pairs.mean, pairs.most,
                        m.rounds, m.moves);
  }
  for (const measured& m : r.runs)
    if (m.from)
      text +=
          fmt::format("\n  {} went on from a checkpoint after step {}: its time and loads are of the steps since.\n",
                      m.balancer, m.from);
  text += fmt::format("\n  An imbalance is the load of the busiest node to the mean, step by step from step {} on.\n",
                      (r.runs.empty() ? 0 : r.runs.front().from) + r.warm_up() + 1);
  text += fmt::format(
      "  Every particle is where the serial loop has it, to the last bit; energy has changed by {:.1e} for each.\n",
      r.energy_change);
  return text;
}

std::string to_svg(const report& r) {
  stretto::tools::chart c{.title = fmt::format("{} particles in {} x {} patches on {}", r.what.count, r.patches.x,
                                               r.patches.y, count(r.nodes, "node")),
                          .across = "step",
                          .names = {},
                          .panels = {{"imbalance of time", {}}, {"imbalance of pairs", {}}},
                          .mark = 1.1};
  for (const measured& m : r.runs) {
    c.names.push_back(m.balancer);
    c.panels[0].lines.push_back(m.loads.of_time);
    c.panels[1].lines.push_back(m.loads.of_pairs);
  }
  return to_svg(c);
}

}  // namespace particles
