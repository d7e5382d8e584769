#include "cc/acc/directive_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cc/acc/statement.hpp"

namespace stretto::cc::acc {

directive_places::directive_places(const preprocessed_text& source)
    : source_(source), functions_(starts_of_definitions(source.program())) {}

std::size_t directive_places::offset_of(std::size_t token) const {
  const tokens& program = source_.program();
  return token < program.size() ? program[token].offset : source_.text().size();
}

std::size_t directive_places::end_of(const placed_directive& one) const {
  return one.first == one.last ? source_.pragmas()[one.pragma].last
                               : offset_of(one.last - 1) + source_.program()[one.last - 1].spelling.size();
}

std::size_t directive_places::start_of_function(std::size_t token) const {
  return *std::prev(std::ranges::upper_bound(functions_, token));
}

bool directive_places::is_at_file_scope(const placed_directive& one) const {
  return start_of_function(one.first) == one.first || one.first == source_.program().size();
}

std::size_t directive_places::end_of_declared(const placed_directive& one) const {
  if (is_at_file_scope(one)) return source_.text().size();
  const auto next = std::ranges::upper_bound(functions_, one.first);
  return next == functions_.end() ? source_.text().size() : offset_of(*next);
}

std::vector<text_range> directive_places::functions(const directive_tree& tree) const {
  std::vector<text_range> all;
  for (const placed_directive& one : tree.outermost) {
    const text_range part{function_of(one), std::max(end_of(one), offset_of(one.first))};
    if (!all.empty() && part.first < all.back().last) all.back().last = std::max(all.back().last, part.last);
    else all.push_back(part);
  }
  return all;
}

std::string directive_places::mark(std::size_t offset) const {
  const source_line where = source_.line_at(offset);
  return where.file.empty() ? "" : fmt::format("\n# {} \"{}\"\n", where.line, where.file);
}

}  // namespace stretto::cc::acc
