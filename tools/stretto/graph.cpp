// graph.cpp - stretto graph FILE: a part of a recorded run as a graph.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/graphviz.hpp"
#include "report/graph.hpp"
#include "report/output.hpp"
#include "report/reader.hpp"
#include "stretto/arguments.hpp"

namespace stretto::tools {
namespace {

// CLI11 turns "1.5ms" into nanoseconds.
const std::map<std::string, double> units{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

}  // namespace

int run_graph(const invocation& call) {
  arguments words(call);
  bool json = false;
  std::string file, svg, write;
  report::graph_part part;
  double from = 0, to = 0;
  words.add_option("FILE", file, "the timeline that STRETTO_TRACE=FILE wrote")->required();
  words.add_option("--around", part.around, "only what lies near the operations of this name or id")->type_name("NAME");
  words.add_option("--depth", part.depth, "how many arrows near is; else 2")->type_name("N");
  auto* since = words.add_option("--from", from, "only what ran from then on, such as 1.5ms");
  auto* until = words.add_option("--to", to, "only what had begun by then");
  for (auto* time : {since, until}) time->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED))->option_text("TIME");
  const std::map<std::string, report::collapse> ways{{"name", report::collapse::by_name}, {"family", report::collapse::by_family}};
  words.add_option("--collapse", part.collapse, "join operations of one name, or of names that differ in numbers only (family)")
      ->transform(CLI::CheckedTransformer(ways))->option_text("name|family");
  words.add_option("--most", part.most, "refuse to draw more operations; else 2000")->type_name("N");
  words.add_option("--svg", svg, "draw it, with Graphviz")->type_name("FILE");
  words.add_option("--write", write, "write it in the language of Graphviz to a file")->type_name("FILE");
  words.add_json(json);
  if (!words.read()) return 0;
  part.from = static_cast<report::nanoseconds>(from);
  if (until->count() != 0) part.to = static_cast<report::nanoseconds>(to);

  const auto run = report::read_run(std::filesystem::path(file));
  const auto drawn = report::part_of(run, part);
  if (!svg.empty()) report::write_text(svg, places::svg_of(report::to_dot(drawn)));
  if (!write.empty()) report::write_text(write, report::to_dot(drawn));
  if (json) fmt::print("{}\n", report::to_json(drawn).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else if (svg.empty() && write.empty()) fmt::print("{}", report::to_dot(drawn));
  else
    for (const auto* name : {&svg, &write})
      if (!name->empty()) fmt::print("{} holds {} operations, {} arrows\n", *name, drawn.nodes.size(), drawn.arrows.size());
  return 0;
}

}  // namespace stretto::tools
