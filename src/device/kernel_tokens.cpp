#include "device/kernel_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace stretto::device {

namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Longest first.
constexpr std::array operators{"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=",
                               "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::"};

struct reader {
  std::string_view text;
  std::size_t at = 0;
  unsigned line;

  bool more() const { return at < text.size(); }
  char look(std::size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }
  void skip(std::size_t n) {
    for (; n && more(); --n, ++at)
      if (text[at] == '\n' && line) ++line;
  }

  /// Skips white space, comments and line continuations.
  void skip_blank() {
    while (more()) {
      if (std::isspace(static_cast<unsigned char>(look())) || (look() == '\\' && look(1) == '\n')) skip(1);
      else if (look() == '/' && look(1) == '/') skip(std::min(text.find('\n', at), text.size()) - at);
      else if (look() == '/' && look(1) == '*') skip(std::min(text.find("*/", at + 2), text.size() - 2) + 2 - at);
      else return;
    }
  }

  std::size_t length_of_next(token::what& is) const {
    std::size_t n = 1;
    if (begins_name(look())) {
      is = token::what::name;
      while (in_name(look(n))) ++n;
    } else if (std::isdigit(static_cast<unsigned char>(look())) ||
               (look() == '.' && std::isdigit(static_cast<unsigned char>(look(1))))) {
      is = token::what::number;
      for (; in_name(look(n)) || look(n) == '.' || (look(n) == '\'' && in_name(look(n + 1))) ||
             ((look(n) == '+' || look(n) == '-') && (look(n - 1) == 'e' || look(n - 1) == 'E') && look(1) != 'x');
           ++n) {
      }
    } else if (look() == '"' || look() == '\'') {
      is = token::what::text;
      while (look(n) && look(n) != look()) n += look(n) == '\\' ? 2 : 1;
      ++n;
    } else {
      is = token::what::sign;
      for (std::string_view o : operators)
        if (text.substr(at, o.size()) == o) return o.size();
    }
    return std::min(n, text.size() - at);
  }
};

/// The index in `source`, from `from` on, at which the tokens of `part` occur; source.size() if they do not.
std::size_t where_is(const tokens& source, std::size_t from, const tokens& part) {
  const bool same = from + part.size() <= source.size() &&
                    std::equal(part.begin(), part.end(), source.begin() + static_cast<std::ptrdiff_t>(from),
                               [](const token& a, const token& b) { return a.spelling == b.spelling; });
  return same ? from : source.size();
}

}  // namespace

tokens tokens_of(std::string_view text, unsigned first_line) {
  tokens all;
  reader r{text, 0, first_line};
  for (r.skip_blank(); r.more(); r.skip_blank()) {
    token t;
    t.line = r.line;
    t.offset = r.at;
    const std::size_t length = r.length_of_next(t.is);
    t.spelling = text.substr(r.at, length);
    r.skip(length);
    all.push_back(std::move(t));
  }
  return all;
}

bool align(std::vector<tokens*> parts, std::string_view name, std::string_view source, unsigned line) {
  for (tokens* part : parts)
    for (token& t : *part) t.line = line;
  const tokens all = tokens_of(source, 1);
  // Compilers number a macro of several lines by its first or its last line, and names may repeat.
  std::size_t best = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!(all[i] == name)) continue;
    std::size_t next = i + 1;
    for (const tokens* part : parts) {
      if (next < all.size() && all[next] == ",") ++next;
      next = where_is(all, next, *part) + part->size();
      if (next > all.size()) break;
    }
    if (next > all.size()) continue;
    const auto distance = [&](std::size_t at) { return std::max(all[at].line, line) - std::min(all[at].line, line); };
    if (best == all.size() || distance(i) < distance(best)) best = i;
  }
  if (best == all.size()) return false;
  std::size_t next = best + 1;
  for (tokens* part : parts) {
    if (all[next] == ",") ++next;
    for (token& t : *part) t.line = all[next++].line;
  }
  return true;
}

std::optional<directive> directive_in(std::string_view name, std::string_view source, unsigned line) {
  const tokens all = tokens_of(source, 1);
  std::optional<directive> nearest;
  unsigned nearest_distance = 0;
  for (std::size_t i = 0; i + 2 < all.size(); ++i) {
    if (!all[i].spelling.starts_with("STRETTO_") || !(all[i + 1] == "(")) continue;
    const unsigned distance = std::max(all[i].line, line) - std::min(all[i].line, line);
    bool is_defined_here = false;
    std::optional<directive> first;
    int depth = 0;
    std::size_t n = i + 1;
    for (unsigned commas = 0; n < all.size(); ++n) {
      depth += all[n] == "(" || all[n] == "{" || all[n] == "["   ? 1
               : all[n] == ")" || all[n] == "}" || all[n] == "]" ? -1
                                                                 : 0;
      if (depth == 0) break;
      if (depth == 1) commas += all[n] == ",";
      is_defined_here = is_defined_here || (commas < 2 && all[n] == name);
      if (first || !(all[n] == "#")) continue;
      first = directive{"#", all[n].line};
      for (std::size_t k = n + 1; k < all.size() && all[k].line == first->line; ++k)
        first->spelling += (k > n + 1 ? " " : "") + all[k].spelling;
    }
    if (!is_defined_here || (nearest_distance && distance >= nearest_distance)) continue;
    nearest_distance = std::max(distance, 1u);
    nearest = first;
  }
  return nearest;
}

std::string text_of(const tokens& all, std::string_view file) {
  constexpr unsigned blank_lines_at_most = 8;
  std::string text;
  unsigned line = 0;
  for (const token& t : all) {
    if (t.line && t.line != line) {
      if (line && t.line > line && t.line - line <= blank_lines_at_most) text.append(t.line - line, '\n');
      else text += fmt::format("\n#line {} \"{}\"\n", t.line, file);
      line = t.line;
    } else if (!text.empty() && text.back() != '\n') {
      text += ' ';
    }
    text += t.spelling;
  }
  return text;
}

}  // namespace stretto::device
