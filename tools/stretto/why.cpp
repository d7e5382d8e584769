// why.cpp - stretto why: prints the last hang report of a program, from its file.
#include <fmt/format.h>

#include <cstdint>
#include <stretto/error.hpp>
#include <utility>

#include "base/whole_file.hpp"
#include "diagnose/hang_report.hpp"
#include "files/json_depth.hpp"
#include "platform/graphviz.hpp"
#include "stretto/arguments.hpp"
#include "stretto/terminal.hpp"
#include "stretto/text_file.hpp"

namespace stretto::tools {
namespace {

constexpr std::uint64_t most_bytes = 64u << 20;

std::string read_report(const std::string& file) {
  auto content = base::read_whole(file, most_bytes);
  if (content && files::is_nested_too_deeply(content.text))
    content.fault = "its lists are nested more deeply than those of any report";
  if (!content)
    throw error("W42", "a hang report could not be read").fact("file", file).because(std::move(content.fault));
  return std::move(content.text);
}

}  // namespace

int run_why(const invocation& call) {
  arguments words(call);
  std::string file, dot, svg;
  bool json = false;
  words.add_option("FILE", file, "what STRETTO_STUCK_FILE named")->required();
  words.add_option("--dot", dot, "write who waits for what as a graph for Graphviz")->type_name("FILE");
  words.add_option("--svg", svg, "draw it, with Graphviz")->type_name("FILE");
  words.add_json(json);
  if (!words.read()) return 0;

  const auto runtimes = diagnose::from_json(read_report(file));
  if (!dot.empty()) write_text_file(dot, diagnose::graphviz_text(runtimes));
  if (!svg.empty()) write_text_file(svg, places::svg_of(diagnose::graphviz_text(runtimes)));
  if (json) {
    print_text("{}", diagnose::to_json(runtimes));
    return 0;
  }
  for (const auto& s : runtimes) {
    if (runtimes.size() > 1) print_text("runtime N{}:\n", s.node);
    print_text("{}\n", diagnose::report_text(s));
  }
  return 0;
}

}  // namespace stretto::tools
