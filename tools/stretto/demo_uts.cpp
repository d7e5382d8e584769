// demo_uts.cpp - stretto demo uts: a tree that cannot be balanced beforehand, one task per node.
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <stretto/runtime.hpp>

#include "demo/uts/report.hpp"
#include "demo/uts/search.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"
#include "stretto/terminal.hpp"

namespace stretto::tools {
namespace {

template <class Work>
double seconds_of(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

uts::report search(const uts::published_tree& named, const base::settings& told) {
  const uts::tree tree(named.parameters);
  uts::report report{.tree = named, .by_worker = {}};
  report.serial_seconds = seconds_of([&] { uts::check(named, uts::search_serial(tree)); });
  runtime rt({.workers = static_cast<std::uint32_t>(told.workers), .stack_bytes = told.stack_size, .seed = told.seed});
  progress shown("tree " + std::string(named.name), named.expected.nodes, progress_as(told, "nodes"));
  report.seconds = seconds_of(
      [&] { report.by_worker = rt.run([&] { return uts::search_parallel(tree, rt.workers(), &shown); }); });
  uts::check(named, uts::sum(report.by_worker));
  return report;
}

void print_json(const uts::report& r) {
  const uts::census found = uts::sum(r.by_worker);
  auto workers = nlohmann::ordered_json::array();
  for (const auto& worker : r.by_worker)
    workers.push_back({{"nodes", worker.nodes}, {"leaves", worker.leaves}, {"depth", worker.depth}});
  const nlohmann::ordered_json all{{"tree", r.tree.name},
                                   {"nodes", found.nodes},
                                   {"leaves", found.leaves},
                                   {"depth", found.depth},
                                   {"published_nodes", r.tree.expected.nodes},
                                   {"seconds", r.seconds},
                                   {"million_nodes_per_second", r.million_nodes_per_second()},
                                   {"serial_seconds", r.serial_seconds},
                                   {"serial_million_nodes_per_second", r.serial_million_nodes_per_second()},
                                   {"ratio_per_worker", r.ratio_per_worker()},
                                   {"workers", workers}};
  fmt::print("{}\n", all.dump(2));
}

}  // namespace

int demo_uts(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::string tree = "T1";
  words.add_json(json);
  words.add_option("--tree", tree, "a published tree: T1 to T5 have 4 million nodes; T1L, T2L, T3L 100 million;\n"
                                   "T1XL, T1XXL and T3XXL thousands of millions");
  if (!words.read()) return 0;
  const uts::report report = search(uts::tree_named(tree), call.options.values);
  if (json) print_json(report);
  else fmt::print("{}", uts::to_text(report));
  return 0;
}

}  // namespace stretto::tools
