#include "cc/acc/sole_pointer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "cc/acc/statement.hpp"
#include "cc/is_in.hpp"

namespace stretto::cc::acc {
namespace {

bool is_name(std::string_view word) {
  return !word.empty() && (std::isalpha(static_cast<unsigned char>(word.front())) || word.front() == '_');
}

/// The end of what is assigned: a comma or semicolon outside of brackets.
std::size_t end_of_value(const tokens& all, std::size_t first) {
  int depth = 0;
  for (std::size_t i = first; i < all.size(); ++i) {
    const std::string_view word = all[i].spelling;
    if (word == "(" || word == "[" || word == "{") ++depth;
    if (word == ")" || word == "]" || word == "}") --depth;
    if (depth < 0 || (depth == 0 && (word == ";" || word == ","))) return i;
  }
  return all.size();
}

/// Results of functions, null pointers, and choices between them: blocks that no variable points to yet.
bool is_new_block(const tokens& all, std::size_t first, std::size_t last) {
  bool calls = false, is_null = false;
  for (std::size_t i = first; i < last; ++i) {
    calls |= is_name(all[i].spelling) && i + 1 < last && all[i + 1] == "(" && all[i].spelling != "sizeof";
    is_null |= all[i] == "0" || all[i] == "NULL" || all[i] == "nullptr";
  }
  return calls || is_null;
}

/// Whether the name at `at` is a whole value that is assigned: "q = p;", "q = (char*)p + 1;".
bool is_assigned_value(const tokens& all, std::size_t at) {
  if (at == 0 || at + 1 >= all.size()) return false;
  constexpr std::array<std::string_view, 3> before = {"=", "?", ":"};
  constexpr std::array<std::string_view, 6> behind = {";", ",", "+", "-", ":", "}"};
  if (all[at - 1] == ")") return all[at + 1] == ";" || all[at + 1] == "+";  // a cast
  return is_in(before, all[at - 1].spelling) && is_in(behind, all[at + 1].spelling);
}

/// The tokens in which a variable may be named: its function, or the whole source.
struct token_range {
  std::size_t first, last;
};

token_range tokens_of(const declaration& variable, const name_scope& scope) {
  const tokens& all = scope.source.program();
  if (variable.is != declaration::place::local) return {0, all.size()};
  token_range function{0, all.size()};
  for (const std::size_t start : starts_of_definitions(all)) {
    if (start < all.size() && all[start].offset <= scope.offset) function.first = start;
    else function.last = std::min(function.last, start);
  }
  return function;
}

}  // namespace

std::string reason_against_sharing(const std::string& argument, const name_scope& scope) {
  const declaration* const variable =
      is_name(argument) ? scope.names.visible(argument, scope.offset, scope.source) : nullptr;
  if (!variable || variable->type.is != type_form::pointer) return "its argument is not the name of a pointer variable";
  if (variable->is == declaration::place::parameter)
    return fmt::format("the caller has another pointer to what \"{}\" points to", argument);
  if (variable->type.is_const) return fmt::format("\"{}\" is constant", argument);
  const tokens& all = scope.source.program();
  const token_range named = tokens_of(*variable, scope);
  for (std::size_t i = std::max<std::size_t>(named.first, 1); i + 1 < named.last; ++i) {
    if (all[i].spelling != argument || all[i - 1] == "." || all[i - 1] == "->") continue;
    if (all[i + 1] == "=" && !is_new_block(all, i + 2, end_of_value(all, i + 2)))
      return fmt::format("\"{}\" is assigned from another variable", argument);
    if (is_assigned_value(all, i)) return fmt::format("another variable may be assigned from \"{}\"", argument);
  }
  return "";
}

}  // namespace stretto::cc::acc
