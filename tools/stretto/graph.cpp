// graph.cpp - stretto graph FILE: a part of a recorded run as a graph; stretto graph -- PROGRAM: what a program would
// do on buffers.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stretto/error.hpp>

#include "platform/graphviz.hpp"
#include "report/operation_graph.hpp"
#include "report/output_file.hpp"
#include "report/timeline_reader.hpp"
#include "stretto/arguments.hpp"
#include "stretto/graph_of_program.hpp"
#include "stretto/split_arguments.hpp"
#include "stretto/terminal.hpp"

namespace stretto::tools {
namespace {

// CLI11 turns "1.5ms" into nanoseconds.
const std::map<std::string, double> units{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

const std::string of_run = "Of a run that was recorded (FILE)",
                  of_program = "Of a program that is run dry (-- PROGRAM ARGUMENT...)";

/// What is said of a program's graph.
struct dry_words {
  std::uint64_t nodes = 2;
  std::string node, what = "commands", as = "dot", file;
};

int draw_program(const split_invocation& call, const dry_words& said) {
  if (call.program.empty())
    throw error("W50", "stretto graph needs a program to run")
        .remedy("stretto graph --nodes 2 -- ./program ARGUMENT...");
  constexpr std::uint64_t shown_all = 4;
  const std::string which = !said.node.empty() ? said.node : said.nodes <= shown_all ? "all" : "0";
  program_graph asked{.program = call.program,
                      .variables = dry_variables(call.call, said.nodes, which),
                      .as = said.as,
                      .file = said.file};
  asked.variables["STRETTO_GRAPH_KIND"] = said.what;
  return show_program_graph(asked);
}

}  // namespace

int run_graph(const invocation& whole) {
  const split_invocation both = split_at_program(whole);
  const invocation& call = both.call;
  arguments words(call);
  bool json = false;
  std::string file, svg, write;
  report::graph_part part;
  double from = 0, to = 0;
  dry_words dry;
  words.add_option("FILE", file, "the timeline that STRETTO_TRACE=FILE wrote");
  words.add_option("--around", part.around, "only what lies near the operations of this name or id")->type_name("NAME");
  words.add_option("--depth", part.depth, "how many arrows near is; else 2")->type_name("N");
  auto* since = words.add_option("--from", from, "only what ran from then on, such as 1.5ms");
  auto* until = words.add_option("--to", to, "only what had begun by then");
  for (auto* time : {since, until})
    time->transform(CLI::AsNumberWithUnit(units, CLI::AsNumberWithUnit::UNIT_REQUIRED))->option_text("TIME");
  const std::map<std::string, report::collapse> ways{{"name", report::collapse::by_name},
                                                     {"family", report::collapse::by_family}};
  words
      .add_option("--collapse", part.collapse,
                  "join operations of one name, or of names that differ in numbers only (family)")
      ->transform(CLI::CheckedTransformer(ways))
      ->option_text("name|family");
  words.add_option("--most", part.most, "refuse to draw more operations; else 2000")->type_name("N");
  words.add_option("--svg", svg, "draw it, with Graphviz")->type_name("FILE");
  words.add_option("--write", write, "write it in the language of Graphviz to a file")->type_name("FILE");
  for (CLI::Option* one :
       words.get_options([](const CLI::Option* o) { return !o->get_lnames().empty() && o->get_lnames()[0] != "help"; }))
    one->group(of_run);
  words.add_option("--nodes", dry.nodes, "as a job of so many; else 2")->type_name("N")->group(of_program);
  words.add_option("--node", dry.node, "what these do, such as 0,2-4 or all; else all of up to 4, or 0")
      ->type_name("LIST")
      ->group(of_program);
  words.add_option("--what", dry.what, "the graph to draw; else commands")
      ->transform(CLI::IsMember({"tasks", "commands", "instructions", "timeline"}))
      ->option_text("tasks|commands|instructions|timeline")
      ->group(of_program);
  words.add_option("--devices", "devices of each node: a number, or the option of that name")
      ->type_name("N")
      ->group(of_program);
  words.add_option("--as", dry.as, "how it is written; else dot. svg takes Graphviz")
      ->transform(CLI::IsMember({"dot", "svg", "json"}))
      ->option_text("dot|svg|json")
      ->group(of_program);
  words.add_option("-o,--output", dry.file, "write it to a file")->type_name("FILE")->group(of_program);
  words.add_json(json);
  words.footer(
      "The options of the runtime, such as --workers, are accepted too; they are for the program: stretto options");
  if (!words.read()) return 0;
  for (const CLI::Option* one : words.get_options([](const CLI::Option* o) { return o->count() != 0; })) {
    const bool is_of_program = one->get_group() == of_program;
    if (one->get_group() == (both.has_program ? of_run : of_program) || (both.has_program && one->get_positional()))
      throw error("W03", "stretto graph cannot be run like this")
          .because(one->get_name() +
                   (is_of_program ? " requires a program after --" : " is for a recorded run, not for a program"))
          .remedy(is_of_program ? "stretto graph --nodes 2 -- ./program ARGUMENT..." : "stretto graph --help");
  }
  if (both.has_program) {
    if (json || dry.what == "timeline") dry.as = "json";
    return draw_program(both, dry);
  }
  if (file.empty())
    throw error("W03", "stretto graph cannot be run like this")
        .because("it requires FILE, or -- and a program")
        .remedy("stretto graph --help");
  part.from = static_cast<report::nanoseconds>(from);
  if (until->count() != 0) part.to = static_cast<report::nanoseconds>(to);

  const auto run = report::read_run(std::filesystem::path(file));
  const auto drawn = report::part_of(run, part);
  if (!svg.empty()) report::write_text(svg, places::svg_of(report::to_dot(drawn)));
  if (!write.empty()) report::write_text(write, report::to_dot(drawn));
  if (json) print_text("{}\n", report::to_json(drawn).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else if (svg.empty() && write.empty()) print_text("{}", report::to_dot(drawn));
  else
    for (const auto* name : {&svg, &write})
      if (!name->empty())
        print_text("{} holds {} operations, {} arrows\n", *name, drawn.nodes.size(), drawn.arrows.size());
  return 0;
}

}  // namespace stretto::tools
