// demo_uts.cpp - stretto demo uts: a tree that cannot be balanced beforehand, one task per node.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stretto/runtime.hpp>

#include "demo/stopwatch.hpp"
#include "demo/uts/report.hpp"
#include "demo/uts/search.hpp"
#include "stretto/arguments.hpp"
#include "stretto/demos.hpp"
#include "stretto/self_launch.hpp"
#include "stretto/terminal.hpp"

namespace stretto::tools {
namespace {

void search_over_nodes(uts::report& r) {
  uts::nodes_census found;
  r.seconds = seconds_of([&] { found = uts::search_over_nodes(r.tree.parameters); });
  for (const auto& node : found.by_worker) {
    r.workers.push_back(node.size());
    r.by_worker.insert(r.by_worker.end(), node.begin(), node.end());
  }
  r.given = found.given;
}

/// The serial search comes first, while the other nodes wait.
uts::report search(runtime& rt, const uts::published_tree& named, const base::settings& told) {
  const uts::tree tree(named.parameters);
  uts::report report{.tree = named, .by_worker = {}};
  report.serial_seconds = seconds_of([&] { uts::check(named, uts::search_serial(tree)); });
  if (rt.nodes() > 1) {
    rt.run([&] { search_over_nodes(report); });
  } else {
    progress shown("tree " + std::string(named.name), named.expected.nodes, progress_as(told, "nodes"));
    report.seconds = seconds_of(
        [&] { report.by_worker = rt.run([&] { return uts::search_parallel(tree, rt.workers(), &shown); }); });
  }
  uts::check(named, uts::sum(report.by_worker));
  return report;
}

void print_json(const uts::report& r) {
  const uts::census found = uts::sum(r.by_worker);
  auto workers = nlohmann::ordered_json::array();
  for (const auto& worker : r.by_worker)
    workers.push_back({{"nodes", worker.nodes}, {"leaves", worker.leaves}, {"depth", worker.depth}});
  nlohmann::ordered_json all{{"tree", r.tree.name},
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
  if (!r.given.empty()) all["workers_of_nodes"] = r.workers, all["stacks_given_by_nodes"] = r.given;
  fmt::print("{}\n", all.dump(2));
}

}  // namespace

int demo_uts(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::string nodes, tree = "T1";
  words
      .add_option("-n,--nodes", nodes,
                  "start that many nodes; else this process alone, or the job that it is started in")
      ->type_name("NODES");
  words.add_json(json);
  words.add_option("--tree", tree,
                   "a published tree: T1 to T5 have 4 million nodes; T1L, T2L, T3L 100 million;\n"
                   "T1XL, T1XXL and T3XXL thousands of millions");
  if (!words.read()) return 0;
  const uts::published_tree& named = uts::tree_named(tree);
  if (!nodes.empty()) return run_on_nodes(nodes, call, words.given_but("nodes"));

  const base::settings& told = call.options.values;
  runtime rt({.workers = static_cast<std::uint32_t>(told.workers), .stack_bytes = told.stack_size, .seed = told.seed});
  if (rt.nodes() > 1 && rt.node() != 0) {
    rt.run([] {});  // this one serves
    return 0;
  }
  const uts::report report = search(rt, named, told);
  if (json) print_json(report);
  else fmt::print("{}", uts::to_text(report));
  return 0;
}

}  // namespace stretto::tools
