#include "demo/uts/report.hpp"

#include <fmt/format.h>

#include <stretto/error.hpp>

#include "base/nearest_name.hpp"
#include "demo/uts/search.hpp"

namespace uts {
namespace {

void check(std::string_view tree, const char* what, std::uint64_t found, std::uint64_t published) {
  if (!published || found == published) return;
  throw stretto::error(
      "W31", fmt::format("the search of tree {} found {} {}, and {} are published", tree, found, what, published))
      .fact("difference", fmt::format("{:+}", static_cast<std::int64_t>(found - published)))
      .because("a search visits every node exactly once")
      .remedy("this is a fault of Stretto: please report it with the command line");
}

// A count that the literature does not give.
std::string spelt(std::uint64_t published) { return published ? std::to_string(published) : "-"; }

/// "1"; of several nodes "N2 worker 1".
std::vector<std::string> names_of_workers(const report& r) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < r.workers.size(); ++n)
    for (std::size_t w = 0; w < r.workers[n]; ++w) names.push_back(fmt::format("N{} worker {}", n, w));
  while (names.size() < r.by_worker.size()) names.push_back(std::to_string(names.size()));
  return names;
}

}  // namespace

double report::million_nodes_per_second() const { return static_cast<double>(sum(by_worker).nodes) / seconds / 1e6; }

double report::serial_million_nodes_per_second() const {
  return static_cast<double>(sum(by_worker).nodes) / serial_seconds / 1e6;
}

double report::ratio_per_worker() const { return serial_seconds / seconds / static_cast<double>(by_worker.size()); }

const published_tree& tree_named(std::string_view name) {
  if (const published_tree* found = find(name)) return *found;
  std::vector<std::string> names;
  for (const auto& t : published()) names.emplace_back(t.name);
  const auto near = stretto::base::did_you_mean(name, names);
  throw stretto::error("W30", fmt::format("there is no published tree \"{}\"", name))
      .remedy(near.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : near);
}

void check(const published_tree& tree, const census& found) {
  check(tree.name, "nodes", found.nodes, tree.expected.nodes);
  check(tree.name, "leaves", found.leaves, tree.expected.leaves);
  check(tree.name, "levels below the root", static_cast<std::uint64_t>(found.depth),
        static_cast<std::uint64_t>(tree.expected.depth));
}

std::string to_text(const report& r) {
  const census found = sum(r.by_worker);
  const census& told = r.tree.expected;
  std::string text = fmt::format("tree {:<8}{:>14}{:>14}\n", r.tree.name, "found", "published");
  const auto row = [&](const char* what, std::uint64_t a, std::uint64_t b) {
    text += fmt::format("{:<13}{:>14}{:>14}\n", what, a, spelt(b));
  };
  row("nodes", found.nodes, told.nodes);
  row("leaves", found.leaves, told.leaves);
  row("depth", static_cast<std::uint64_t>(found.depth), static_cast<std::uint64_t>(told.depth));
  text += fmt::format("\n{:.3f} s: {:.2f} million nodes/s on {} worker{}{}\n", r.seconds, r.million_nodes_per_second(),
                      r.by_worker.size(), r.by_worker.size() == 1 ? "" : "s",
                      r.workers.empty() ? "" : fmt::format(" of {} nodes", r.workers.size()));
  text += fmt::format("{:.3f} s: {:.2f} million nodes/s by a serial search\n", r.serial_seconds,
                      r.serial_million_nodes_per_second());
  text += fmt::format("each worker is {:.2f} times as fast as the serial search\n\n", r.ratio_per_worker());
  text += fmt::format("{:<13}{:>14}{:>14}\n", "worker", "nodes", "share");
  const auto names = names_of_workers(r);
  for (std::size_t w = 0; w < r.by_worker.size(); ++w)
    text += fmt::format("{:<13}{:>14}{:>12.1f} %\n", names[w], r.by_worker[w].nodes,
                        100.0 * static_cast<double>(r.by_worker[w].nodes) / static_cast<double>(found.nodes));
  for (std::size_t n = 0; n < r.given.size(); ++n)
    text += fmt::format("{}node {} gave {} stacks to others\n", n == 0 ? "\n" : "", n, r.given[n]);
  return text;
}

}  // namespace uts
