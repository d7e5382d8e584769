// why.cpp - stretto why: what a program that did not go on was waiting for, from the file that its report left.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stretto/error.hpp>

#include "diagnose/report.hpp"
#include "platform/graphviz.hpp"
#include "stretto/arguments.hpp"
#include "stretto/text_file.hpp"

namespace stretto::tools {
namespace {

std::string read_file(const std::string& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw error("W42", "a hang report could not be read").fact("file", file).because(std::strerror(errno ? errno : EIO));
  return text;
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

  const auto runtimes = diagnose::from_json(read_file(file));
  if (!dot.empty()) write_text_file(dot, diagnose::graphviz_text(runtimes));
  if (!svg.empty()) write_text_file(svg, places::svg_of(diagnose::graphviz_text(runtimes)));
  if (json) {
    fmt::print("{}", diagnose::to_json(runtimes));
    return 0;
  }
  for (const auto& s : runtimes) {
    if (runtimes.size() > 1) fmt::print("runtime N{}:\n", s.node);
    fmt::print("{}\n", diagnose::report_text(s));
  }
  return 0;
}

}  // namespace stretto::tools
