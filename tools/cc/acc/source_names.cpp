#include "cc/acc/source_names.hpp"

#include <algorithm>

namespace stretto::cc::acc {

const declaration* source_names::at(std::size_t offset) const noexcept {
  const auto found = uses_.find(offset);
  return found == uses_.end() ? nullptr : &declarations_[found->second];
}

const c_type* source_names::type_at(std::size_t offset) const noexcept {
  const auto found = types_.find(offset);
  return found == types_.end() ? nullptr : &found->second;
}

/// The end of the block in which a token stands; that of the text at file scope.
static std::size_t end_of_scope(const preprocessed_text& source, std::size_t offset) {
  const tokens& program = source.program();
  int depth = 0;
  for (std::size_t i = source.token_behind(offset); i < program.size(); ++i) {
    if (program[i] == "{") ++depth;
    if (program[i] == "}" && --depth < 0) return program[i].offset;
  }
  return source.text().size();
}

/// Where a function's body follows, that of the body.
static std::size_t end_of_parameter(const preprocessed_text& source, std::size_t offset) {
  const tokens& program = source.program();
  for (std::size_t i = source.token_behind(offset); i < program.size(); ++i) {
    if (program[i] == ";") return program[i].offset;
    if (program[i] == "{") return end_of_scope(source, program[i].offset + 1);
  }
  return source.text().size();
}

/// Where the name of a declaration ceases to be visible.
static std::size_t end_of_visibility(const declaration& one, const preprocessed_text& source) {
  if (one.is == declaration::place::parameter) return end_of_parameter(source, one.offset);
  const std::size_t end = end_of_scope(source, one.offset);
  // The braces of an enumeration are no scope.
  return one.is == declaration::place::constant ? end_of_scope(source, end + 1) : end;
}

const member_scope* source_names::method_at(std::size_t offset) const noexcept {
  const member_scope* found = nullptr;
  for (const member_scope& one : methods_)
    if (offset >= one.where.first && offset < one.where.last && (!found || one.where.first > found->where.first))
      found = &one;
  return found;
}

/// Of another namespace, which may have no name or be named by `using`.
const declaration* source_names::variable_of_namespace(std::string_view name, std::size_t offset) const {
  const auto found = std::ranges::find_if(declarations_, [&](const declaration& one) {
    return one.name == name && one.offset < offset && one.is == declaration::place::global;
  });
  return language_ == language::cxx && found != declarations_.end() ? &*found : nullptr;
}

/// Members of a class hide variables outside of the member function.
const declaration* source_names::visible(std::string_view name, std::size_t offset,
                                         const preprocessed_text& source) const {
  const declaration* found = nullptr;
  for (const declaration& one : declarations_) {
    if (one.name != name || one.offset > offset || (found && one.offset < found->offset)) continue;
    if (one.is == declaration::place::member || one.is == declaration::place::member_function) continue;
    if (offset < end_of_visibility(one, source)) found = &one;
  }
  if (!found) found = variable_of_namespace(name, offset);
  const member_scope* const method = method_at(offset);
  if (!method || (found && found->offset >= method->where.first)) return found;
  for (const std::size_t index : method->members)
    if (declarations_[index].name == name) return &declarations_[index];
  return found;
}

}  // namespace stretto::cc::acc
