#include "cc/acc/small_work.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cc/acc/code_printer.hpp"
#include "cc/acc/jumps.hpp"

namespace stretto::cc::acc {
namespace {

struct operation_count {
  std::size_t count = 0;
  bool is_known = true;

  void add(const expression& e) {
    ++count;
    if (e.is == expression_form::call) is_known = false;
    for (const expression& part : e.parts) add(part);
  }
  void add(const statement& s) {
    if (s.is == statement_form::for_ || s.is == statement_form::while_ || s.is == statement_form::do_) is_known = false;
    if (is_jump(s)) is_known = false;
    for (const expression& one : s.values) add(one);
    for (const local_variable& one : s.variables) add(one.initial);
    for (const statement& one : s.parts) add(one);
  }
};

bool uses_variable_of(const expression& e, const std::vector<loop_shape>& loops) {
  if (e.is == expression_form::name && std::ranges::find(loops, e.of, &loop_shape::variable) != loops.end())
    return true;
  return std::ranges::any_of(e.parts, [&](const expression& part) { return uses_variable_of(part, loops); });
}

}  // namespace

std::string work_text(const std::vector<loop_shape>& loops) {
  operation_count body;
  body.add(*loops.back().body);
  if (!body.is_known) return "";
  std::string result = std::to_string(body.count);
  for (const loop_shape& one : loops) {
    if (one.variable->type.is != type_form::integer) return "";
    if (uses_variable_of(one.first, loops) || uses_variable_of(one.last, loops)) return "";
    const std::string first = text_of(one.first), last = text_of(one.last);
    result += one.goes_down ? fmt::format(" * ((long)({}) - ({}) + 1)", first, last)
                            : fmt::format(" * ((long)({}) - ({}) + 1)", last, first);
  }
  return result;
}

}  // namespace stretto::cc::acc
