#include "device/kernel_names.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "device/kernel_signature.hpp"

namespace stretto::device {

namespace {

using word_set = std::set<std::string_view>;

/// Words that a declared name follows.
const word_set& words_of_types() {
  static const word_set& all = *new const word_set{
      "auto",     "item",   "void",   "bool",    "char",    "short",   "int",     "long",    "signed",   "unsigned",
      "float",    "double", "size_t", "int8_t",  "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
      "uint64_t", "float2", "float4", "double2", "int2",    "int4",    "uint2",   "uint4",   "long2",    "ulong2"};
  return all;
}

const word_set& words_of_bodies() {
  static const word_set& all = *new const word_set{
      "const", "volatile", "if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue",
      "return", "sizeof", "true", "false",
      // names that kernel_scope.hpp and group_scope.hpp declare
      "global_id", "global_size", "global_min", "group_id", "group_size", "group_count", "each_item", "per_item",
      "local_array", "in", "out", "inout", "reduce", "local", "denormals_are_zero", "STRETTO_FOREACH", "sqrt", "rsqrt",
      "exp", "log", "sin", "cos", "tan", "atan", "tanh", "floor", "ceil", "round", "fabs", "pow", "atan2", "fmod",
      "hypot", "fmin", "fmax", "fma", "min", "max", "abs", "atomic_add", "atomic_min", "atomic_max"};
  return all;
}

class names_in {
 public:
  names_in(const tokens& body, const std::function<const device_text*(const token&)>& text_named)
      : body_(body), text_named_(text_named) {}

  /// Adds the names that follow a type, and the further names in the same declaration.
  void declare_all(std::set<std::string>& known) const {
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (at(i) == "STRETTO_FOREACH" && at(i + 1) == "(") known.insert(at(i + 2).spelling);
      if (!is_type(at(i)) || is_member(i)) continue;
      std::size_t n = i + 1;
      while (is_type(at(n)) || at(n) == "const" || at(n) == "*" || at(n) == "&") ++n;
      if (at(n).is == token::what::name && !words_of_bodies().contains(at(n).spelling)) declare(n, known);
    }
  }

  const token* first_unknown(const std::set<std::string>& known) const {
    for (std::size_t i = 0; i < body_.size(); ++i) {
      const token& t = at(i);
      if (t.is != token::what::name || is_member(i)) continue;
      if (known.contains(t.spelling) || words_of_types().contains(t.spelling) ||
          words_of_bodies().contains(t.spelling) || text_named_(t))
        continue;
      return &t;
    }
    return nullptr;
  }

  bool is_type(const token& t) const {
    if (t.is != token::what::name) return false;
    if (words_of_types().contains(t.spelling)) return true;
    const device_text* const text = text_named_(t);
    return text && text->is == device_text::what::structure;
  }

 private:
  const token& at(std::size_t i) const {
    static const token& none = *new const token;
    return i < body_.size() ? body_[i] : none;
  }
  bool is_member(std::size_t i) const { return i > 0 && (at(i - 1) == "." || at(i - 1) == "->"); }

  /// float a = f(x, y), *b, c[4];
  void declare(std::size_t n, std::set<std::string>& known) const {
    known.insert(at(n).spelling);
    for (int depth = 0; n < body_.size() && depth >= 0 && !(at(n) == ";"); ++n) {
      depth += at(n) == "(" || at(n) == "[" || at(n) == "{" ? 1 : at(n) == ")" || at(n) == "]" || at(n) == "}" ? -1 : 0;
      if (depth != 0 || !(at(n) == ",")) continue;
      std::size_t next = n + 1;
      while (at(next) == "*") ++next;
      if (at(next).is == token::what::name && !is_type(at(next))) known.insert(at(next).spelling);
    }
  }

  const tokens& body_;
  const std::function<const device_text*(const token&)>& text_named_;
};

}  // namespace

const token* unknown_name(const tokens& parameters, const tokens& body,
                          const std::function<const device_text*(const token&)>& text_named) {
  const names_in r(body, text_named);
  std::set<std::string> known;
  if (!parameters.empty())
    for (const written_parameter& p : parameters_of(parameters)) {
      known.insert(p.name);
      // A reduction by a user-defined operator is reported by the rewriter of the body.
      if (p.mode == access::reduce && p.fold == fold_operator::none) continue;
      const auto foreign =
          std::ranges::find_if(p.type, [&](const token& t) { return t.is == token::what::name && !r.is_type(t); });
      if (foreign == p.type.end()) continue;
      const auto written = std::ranges::find_if(parameters, [&](const token& t) { return t == foreign->spelling; });
      return &*written;
    }
  r.declare_all(known);
  return r.first_unknown(known);
}

}  // namespace stretto::device
