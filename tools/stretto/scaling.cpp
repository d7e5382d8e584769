// scaling.cpp - stretto scaling -- PROGRAM: how fast a program on buffers would be on more and more nodes, without
// them.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stretto/error.hpp>

#include "base/plain_number.hpp"
#include "chart/chart.hpp"
#include "stretto/arguments.hpp"
#include "stretto/graph_of_program.hpp"
#include "stretto/split_arguments.hpp"
#include "stretto/terminal.hpp"
#include "stretto/text_file.hpp"

namespace stretto::tools {
namespace {

struct prediction {
  std::uint64_t nodes = 0;
  double seconds = 0, seconds_to_find_a_task = 0;
  std::uint64_t tasks = 0, most_sent = 0;  // bytes, by one of the nodes that were looked at
  std::string busiest;
  double busy = 0;  // of the time
  bool goes_on = false;
};

/// All of up to four, or four of them that are as far apart as they can be.
std::string looked_at(std::uint64_t nodes) {
  if (nodes <= 4) return "all";
  return fmt::format("0,{},{},{}", (nodes - 1) / 3, 2 * (nodes - 1) / 3, nodes - 1);
}

prediction predicted(const split_invocation& call, std::uint64_t nodes) {
  program_graph asked{.program = call.program,
                      .variables = dry_variables(call.call, nodes, looked_at(nodes)),
                      .as = "json",
                      .file = "",
                      .is_quiet = true};
  asked.variables["STRETTO_GRAPH_KIND"] = "prediction";
  const nlohmann::json said = nlohmann::json::parse(graph_of(asked));
  prediction p{.nodes = nodes,
               .seconds = said.at("predicted_seconds"),
               .seconds_to_find_a_task = said.at("seconds_to_find_a_task"),
               .tasks = said.at("tasks"),
               .busiest = {},
               .goes_on = said.value("goes_on", false)};
  for (const auto& n : said.at("nodes")) p.most_sent = std::max<std::uint64_t>(p.most_sent, n.at("sent_bytes"));
  if (!said.at("busiest").empty() && p.seconds > 0) {
    p.busiest = said.at("busiest")[0].at("lane");
    p.busy = said.at("busiest")[0].at("seconds").get<double>() / p.seconds;
  }
  return p;
}

std::string time_text(double seconds) {
  if (seconds >= 1) return base::plain_number(seconds, 3) + " s";
  if (seconds >= 1e-3) return base::plain_number(seconds * 1e3, 3) + " ms";
  return base::plain_number(seconds * 1e6, 3) + " us";
}

std::string bytes_text(std::uint64_t bytes) {
  double value = static_cast<double>(bytes);
  const char* unit = "B";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (value < 1024) break;
    value /= 1024, unit = next;
  }
  return base::plain_number(value, 4) + " " + unit;
}

/// Against the row with the fewest nodes, taken to use these fully.
double speed_up(const prediction& p, const prediction& first) {
  return p.seconds > 0 ? first.seconds / p.seconds * static_cast<double>(first.nodes) : 0;
}
double efficiency(const prediction& p, const prediction& first) {
  return speed_up(p, first) / static_cast<double>(p.nodes);
}

void print_heading() {
  print_text("{:>7} {:>12} {:>9} {:>11} {:>14} {:>13}  {}\n", "nodes", "predicted", "speed-up", "efficiency",
             "a node sends", "finds a task", "busiest");
}

void print_row(const prediction& p, const prediction& first) {
  print_text("{:>7} {:>12} {:>9} {:>9.0f} % {:>14} {:>10} us  {}{}\n", p.nodes, time_text(p.seconds),
             base::plain_number(speed_up(p, first), 4), 100 * efficiency(p, first), bytes_text(p.most_sent),
             base::plain_number(p.seconds_to_find_a_task * 1e6, 2),
             p.busiest.empty() ? "" : fmt::format("{} {:.0f} %", p.busiest, 100 * p.busy),
             p.goes_on ? " (of a part: it is too long)" : "");
  std::fflush(stdout);  // rows come as they are found
}

std::string picture(const std::vector<prediction>& rows, const std::vector<std::string>& program) {
  std::string words = std::filesystem::path(program.front()).filename();
  for (std::size_t w = 1; w < program.size(); ++w) words += " " + program[w];
  for (std::size_t at = 0; (at = words.find_first_of("<&", at)) != std::string::npos; ++at)
    words.replace(at, 1, words[at] == '<' ? "&lt;" : "&amp;");
  chart c{.title = "Predicted strong scaling of " + words,
          .across = "nodes",
          .names = {"predicted", "linear"},
          .panels = {{"speed-up", {{}, {}}, true}, {"efficiency, %", {{}}}},
          .at = {},
          .doubles = true,
          .least = 0};
  for (const prediction& p : rows) {
    c.at.push_back(static_cast<double>(p.nodes));
    c.panels[0].lines[0].push_back(speed_up(p, rows.front()));
    c.panels[0].lines[1].push_back(static_cast<double>(p.nodes));
    c.panels[1].lines[0].push_back(100 * efficiency(p, rows.front()));
  }
  return to_svg(c);
}

std::vector<std::uint64_t> powers_of_two(std::uint64_t most) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t n = 1; n <= most; n *= 2) all.push_back(n);
  return all;
}

}  // namespace

int run_scaling(const invocation& whole) {
  const split_invocation call = split_at_program(whole);
  arguments words(call.call);
  std::vector<std::uint64_t> nodes;
  std::uint64_t most = 64;
  std::string svg;
  bool json = false;
  words.add_option("--nodes", nodes, "as jobs of so many, such as 1,2,3,6")
      ->type_name("LIST")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536));
  words.add_option("--up-to", most, "as jobs of 1, 2, 4, ... and at most so many; else 64")
      ->type_name("N")
      ->check(CLI::Range(1, 65536))
      ->excludes("--nodes");
  words.add_option("--devices", "devices of each node: a number, or the option of that name")->type_name("N");
  words.add_option("--svg", svg, "draw it")->type_name("FILE");
  words.add_json(json);
  words.footer(
      "The program stands behind --, with its arguments: stretto scaling --up-to 4096 -- ./program ARGUMENT...\n"
      "What things cost is said by --graph-costs; the options of the runtime are for the program: stretto options");
  if (!words.read()) return 0;
  if (call.program.empty())
    throw error("W50", "stretto scaling needs a program to run")
        .remedy("stretto scaling --up-to 64 -- ./program ARGUMENT...");
  if (nodes.empty()) nodes = powers_of_two(most);
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());

  std::vector<prediction> rows;
  auto as_json = nlohmann::json::array();
  for (const std::uint64_t n : nodes) {
    const prediction& p = rows.emplace_back(predicted(call, n));
    if (!json) {
      if (rows.size() == 1) print_heading();
      print_row(p, rows.front());
      continue;
    }
    as_json.push_back({{"nodes", p.nodes},
                       {"predicted_seconds", p.seconds},
                       {"speed_up", speed_up(p, rows.front())},
                       {"efficiency", efficiency(p, rows.front())},
                       {"most_sent_bytes", p.most_sent},
                       {"tasks", p.tasks},
                       {"seconds_to_find_a_task", p.seconds_to_find_a_task},
                       {"busiest", p.busiest},
                       {"busy", p.busy},
                       {"goes_on", p.goes_on}});
  }
  if (json) print_text("{}\n", as_json.dump(2));
  if (!svg.empty()) write_text_file(svg, picture(rows, call.program));
  return 0;
}

}  // namespace stretto::tools
