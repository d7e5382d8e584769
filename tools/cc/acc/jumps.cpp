#include "cc/acc/jumps.hpp"

#include <fmt/format.h>

#include <map>
#include <stretto/error.hpp>
#include <string>
#include <vector>

namespace stretto::cc::acc {
namespace {

bool may_be_divided(const statement& s) {
  return s.is == statement_form::for_ && s.directive && is_loop(s.directive->what.kind) &&
         !s.directive->what.find(clause_kind::seq);
}

/// Where jumps and labels are: in which loop that may be divided, the innermost one.
struct jump_places {
  struct jump {
    const statement* at;
    const statement* loop;
  };
  std::vector<jump> jumps;
  std::map<std::string, const statement*> loop_of_label;

  void add(const statement& s, const statement* loop) {
    if (s.is == statement_form::goto_) jumps.push_back({&s, loop});
    if (s.is == statement_form::label_) loop_of_label[s.values[0].spelling] = loop;
    for (const statement& part : s.parts) add(part, may_be_divided(s) ? &s : loop);
  }
};

error refusal(const statement& jump, const preprocessed_text& source) {
  const source_line where = source.line_at(jump.offset);
  return error("O20", "a jump in a region on a device is not possible")
      .fact("at", fmt::format("{}:{}", where.file, where.line))
      .fact("found", fmt::format("goto {}", jump.values[0].spelling));
}

}  // namespace

void check_jumps(const statement& code, const preprocessed_text& source) {
  jump_places places;
  places.add(code, nullptr);
  for (const auto& [jump, loop] : places.jumps) {
    const auto label = places.loop_of_label.find(jump->values[0].spelling);
    if (label == places.loop_of_label.end())
      throw refusal(*jump, source)
          .because("the label is outside of the region, whose code runs on the device")
          .remedy("set a variable in the region, and jump behind it if it is set");
    if (label->second == loop) continue;
    const statement& crossed = loop ? *loop : *label->second;
    throw refusal(*jump, source)
        .because(fmt::format("the iterations of the loop at line {} are divided, and a jump {} it",
                             source.line_at(crossed.offset).line, loop ? "leaves" : "enters"))
        .remedy("end the iteration by continue, or add seq to the directive of the loop");
  }
}

}  // namespace stretto::cc::acc
