#include "cc/acc/template_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stretto/error.hpp>

#include "cc/acc/cursor_kinds.hpp"
#include "cc/acc/name_reader.hpp"

namespace stretto::cc::acc {
namespace {

/// "double" and "3" of "grid<double, 3>".
std::vector<std::string> template_arguments_in(const std::string& type) {
  std::vector<std::string> all;
  const auto open = type.find('<');
  int depth = 0;
  for (std::size_t i = open, first = open + 1; open != type.npos && i < type.size(); ++i) {
    if (type[i] == '<' || type[i] == '(') ++depth;
    const bool is_end = (type[i] == '>' || type[i] == ')') && --depth == 0;
    if (!is_end && !(type[i] == ',' && depth == 1)) continue;
    all.push_back(type.substr(first, i - first));
    first = i + 1;
    if (is_end) break;
  }
  return all;
}

void add_condition(std::string& all, const std::string& one) { all += (all.empty() ? "" : " && ") + one; }

bool has_spelling(const c_type& type) { return type.spelling.find('(') == std::string::npos; }

}  // namespace

void template_reader::read(clang::cursor top) {
  top_ = top;
  lib_.visitChildren(top, visit_template, this);
  if (!failed_ && !into_.templates.empty()) lib_.visitChildren(top, visit_use, this);
  if (failed_) std::rethrow_exception(failed_);
  for (const clang::cursor& each : classes_)
    for (const found_template& one : templates_)
      if (lib_.equalCursors(one.of_class, lib_.getSpecializedCursorTemplate(each))) read_member(one, each);
}

/// A member that nothing names, as destructors are. Its variables have no types, but the members of the class have.
void template_reader::read_member(const found_template& of, clang::cursor of_class) {
  template_instance one{of.where, {}, source_names(language::cxx), false};
  name_reader reader(lib_, parts_, language::cxx, one.names);
  const std::vector<argument> arguments = arguments_of_class(of_class, reader, one.condition);
  const auto is_same = [&](const template_instance& other) {
    return other.where.first == of.where.first && other.condition.find(one.condition) != std::string::npos;
  };
  if (std::ranges::any_of(into_.instances, is_same)) return;
  reader.read(top_);
  reader.add_method(of_class, of.where);
  add_arguments(of.where, arguments, one.names);
  into_.instances.push_back(std::move(one));
}

void template_reader::add_class(clang::cursor of_class) {
  const bool is_known =
      std::ranges::any_of(classes_, [&](const clang::cursor& one) { return lib_.equalCursors(one, of_class); });
  if (clang::is_class_template(lib_.getSpecializedCursorTemplate(of_class).kind) && !is_known)
    classes_.push_back(of_class);
}

clang::visit_next template_reader::visit_template(clang::cursor one, clang::cursor, clang::client_data to) {
  auto& self = *static_cast<template_reader*>(to);
  try {
    return self.find_template(one);
  } catch (...) {  // not through libclang
    self.failed_ = std::current_exception();
    return clang::visit_next::stop;
  }
}

void template_reader::refuse(std::size_t offset, const std::string& found, const std::string& remedy) const {
  const source_line line = source_.line_at(offset);
  throw error("O09", "a region on a device has code that cannot be translated")
      .fact("at", fmt::format("{}:{}", line.file, line.line))
      .fact("found", found)
      .because("regions are written in the C subset of C++")
      .remedy(remedy);
}

/// libclang does not lead to the instantiations of lambdas with parameters of any type.
void template_reader::check_lambda(const text_range& where) const {
  const tokens& program = source_.program();
  for (auto i = source_.token_behind(where.first); i < program.size() && !(program[i] == "{"); ++i) {
    if (!(program[i] == "auto")) continue;
    refuse(program[i].offset, "a lambda with a parameter of any type around it",
           "name the type of the parameter in place of auto");
  }
}

clang::visit_next template_reader::find_template(clang::cursor one) {
  const text_range where = range_of(one);
  const auto is_inside = [&](std::size_t at) { return at >= where.first && at < where.last; };
  if (std::ranges::none_of(directives_, is_inside)) return clang::visit_next::skip_inside;
  if (one.kind == clang::lambda) check_lambda(where);
  const clang::cursor parent = lib_.getCursorSemanticParent(one);
  if (clang::is_class(one.kind) && clang::is_class_template(parent.kind))
    refuse(where.first, "a class within a template of a class around it",
           "put the region into a function of the template");
  const bool is_member = clang::is_function(one.kind) && clang::is_class_template(parent.kind);
  const bool is_template = one.kind == clang::function_template || is_member;
  if (is_template) {
    into_.templates.push_back({where, condition_that_is_false(one)});
    templates_.push_back({where, is_member ? parent : clang::cursor{}});
  }
  return is_template ? clang::visit_next::skip_inside : clang::visit_next::enter;
}

std::string template_reader::condition_that_is_false(clang::cursor of) {
  if (of.kind != clang::function_template)
    return fmt::format("!__is_same({0}, {0})", lib_.take(lib_.getCursorSpelling(lib_.getCursorSemanticParent(of))));
  for (const parameter& one : parameters_of(of)) {
    if (one.name.empty()) continue;
    const bool is_type = one.of.kind == clang::type_parameter;
    return fmt::format(fmt::runtime(is_type ? "!__is_same({0}, {0})" : "({0}) != ({0})"), one.name);
  }
  return "";
}

clang::visit_next template_reader::visit_use(clang::cursor one, clang::cursor, clang::client_data to) {
  auto& self = *static_cast<template_reader*>(to);
  try {
    return self.find_use(one);
  } catch (...) {  // not through libclang
    self.failed_ = std::current_exception();
    return clang::visit_next::stop;
  }
}

clang::visit_next template_reader::find_use(clang::cursor one) {
  const bool is_whole = one.kind == clang::namespace_declaration || clang::is_function(one.kind) ||
                        one.kind == clang::class_declaration || one.kind == clang::struct_declaration;
  if (is_whole && is_of_system(one)) return clang::visit_next::skip_inside;
  if (one.kind == clang::function_template || clang::is_class_template(one.kind)) return clang::visit_next::skip_inside;
  if (clang::is_function(one.kind)) add_instance(one);  // an explicit instantiation
  else add_instance(lib_.getCursorReferenced(one));
  return clang::visit_next::enter;
}

/// Functions that an instantiation uses may be instantiations, too.
void template_reader::add_instance(clang::cursor function) {
  if (!clang::is_function(function.kind)) return;
  const clang::cursor from = lib_.getSpecializedCursorTemplate(function);
  const bool is_instance = from.kind == clang::function_template || clang::is_function(from.kind);
  if (!is_instance || is_of_system(function) || !known_.insert(lib_.take(lib_.getCursorUSR(function))).second) return;
  lib_.visitChildren(function, visit_use, this);
  add_class(lib_.getCursorSemanticParent(function));
  const clang::cursor definition = lib_.getCursorDefinition(from);
  const std::size_t at = place_of(clang::is_declaration(definition.kind) ? definition : function);
  for (const template_function& one : into_.templates)
    if (at >= one.where.first && at < one.where.last) return read_instance(function, one.where);
}

void template_reader::read_instance(clang::cursor function, const text_range& where) {
  template_instance one{where, {}, source_names(language::cxx)};
  name_reader reader(lib_, parts_, language::cxx, one.names);
  reader.read(top_);
  reader.read_instance(function, where);
  std::string condition;
  std::vector<argument> arguments = arguments_of(function, reader, condition);
  const clang::cursor of_class = lib_.getCursorSemanticParent(function);
  for (argument& more : arguments_of_class(of_class, reader, condition)) arguments.push_back(std::move(more));
  if (arguments.empty()) return;  // a lambda within an instantiation
  add_arguments(where, arguments, one.names);
  one.condition = std::move(condition);
  into_.instances.push_back(std::move(one));
}

clang::visit_next template_reader::visit_parameter(clang::cursor one, clang::cursor, clang::client_data to) {
  auto& self = *static_cast<template_reader*>(to);
  if (one.kind == clang::type_parameter || one.kind == clang::value_parameter)
    self.parameters_->push_back({one, self.lib_.take(self.lib_.getCursorSpelling(one))});
  return clang::visit_next::skip_inside;
}

std::vector<template_reader::parameter> template_reader::parameters_of(clang::cursor of_template) {
  std::vector<parameter> all;
  parameters_ = &all;
  lib_.visitChildren(of_template, visit_parameter, this);
  return all;
}

/// Of a template of a function; none of others. A type without a name leaves no condition.
std::vector<template_reader::argument> template_reader::arguments_of(clang::cursor function, name_reader& reader,
                                                                     std::string& condition) {
  std::vector<argument> all;
  const clang::cursor from = lib_.getSpecializedCursorTemplate(function);
  if (from.kind != clang::function_template) return all;
  const std::vector<parameter> parameters = parameters_of(from);
  const int count = std::min(lib_.Cursor_getNumTemplateArguments(function), static_cast<int>(parameters.size()));
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<unsigned>(i);
    argument one{.name = parameters[index].name};
    if (lib_.Cursor_getTemplateArgumentKind(function, index) == clang::value_argument) {
      one.is_value = true;
      one.value = lib_.Cursor_getTemplateArgumentValue(function, index);
      one.type = reader.type_of(lib_.getCursorType(parameters[index].of));
      add_condition(condition, fmt::format("(long long)({}) == {}", one.name, one.value));
    } else {
      one.type = reader.type_of(lib_.Cursor_getTemplateArgumentType(function, index));
      if (has_spelling(one.type))
        add_condition(condition, fmt::format("__is_same({}, {})", one.name, one.type.spelling));
    }
    all.push_back(std::move(one));
  }
  return all;
}

/// libclang gives the values among the arguments of a class in the name of its type alone.
std::vector<template_reader::argument> template_reader::arguments_of_class(clang::cursor of_class, name_reader& reader,
                                                                           std::string& condition) {
  std::vector<argument> all;
  const clang::cursor from = lib_.getSpecializedCursorTemplate(of_class);
  if (!clang::is_class_template(from.kind)) return all;
  const clang::type type = lib_.getCanonicalType(lib_.getCursorType(of_class));
  const std::string spelling = reader.spelling_of(type);
  if (spelling.find("(") == spelling.npos)
    add_condition(condition, fmt::format("__is_same({}, {})", lib_.take(lib_.getCursorSpelling(of_class)), spelling));
  const std::vector<std::string> texts = template_arguments_in(spelling);
  const std::vector<parameter> parameters = parameters_of(from);
  for (std::size_t i = 0; i < std::min(parameters.size(), texts.size()); ++i) {
    argument one{.name = parameters[i].name, .is_value = parameters[i].of.kind == clang::value_parameter};
    if (one.is_value) {
      one.type = reader.type_of(lib_.getCursorType(parameters[i].of));
      one.value = std::strtoll(texts[i].c_str(), nullptr, 10);
    } else {
      one.type = reader.type_of(lib_.Type_getTemplateArgumentAsType(type, static_cast<unsigned>(i)));
    }
    all.push_back(std::move(one));
  }
  return all;
}

/// Instantiated code has no references to parameters of its template: they are found by their names.
void template_reader::add_arguments(const text_range& where, const std::vector<argument>& all,
                                    source_names& into) const {
  for (const argument& one : all) {
    if (one.is_value)
      into.declarations_.push_back({.name = one.name,
                                    .is = declaration::place::constant,
                                    .type = one.type,
                                    .offset = where.first,
                                    .value = one.value,
                                    .path = one.name});
    const tokens& program = source_.program();
    for (auto i = source_.token_behind(where.first); i < program.size() && program[i].offset < where.last; ++i) {
      if (program[i].spelling != one.name || into.uses_.contains(program[i].offset)) continue;
      if (one.is_value) into.uses_.emplace(program[i].offset, into.declarations_.size() - 1);
      else into.types_.emplace(program[i].offset, one.type);
    }
  }
}

text_range template_reader::range_of(clang::cursor one) const {
  const clang::range all = lib_.getCursorExtent(one);
  unsigned first = 0, last = 0;
  lib_.getFileLocation(lib_.getRangeStart(all), nullptr, nullptr, nullptr, &first);
  lib_.getFileLocation(lib_.getRangeEnd(all), nullptr, nullptr, nullptr, &last);
  return {first, last};
}

std::size_t template_reader::place_of(clang::cursor one) const {
  unsigned offset = 0;
  lib_.getFileLocation(lib_.getCursorLocation(one), nullptr, nullptr, nullptr, &offset);
  return offset;
}

bool template_reader::is_of_system(clang::cursor one) const {
  return source_.line_at(place_of(one)).file.starts_with("/usr/");
}

}  // namespace stretto::cc::acc
