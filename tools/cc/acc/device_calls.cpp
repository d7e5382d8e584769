// Calls of functions of the program, which become parts of the text, and of those that devices have.
#include <fmt/format.h>

#include <algorithm>
#include <stretto/error.hpp>

#include "cc/acc/c_types.hpp"
#include "cc/acc/device_printer.hpp"
#include "cc/acc/operator_precedence.hpp"

namespace stretto::cc::acc {
namespace {

const region_plan plan_of_functions{.directive = nullptr, .arguments = {}};

const function_definition* read_definition(const called_functions& functions, const declaration* of) {
  if (!of) return nullptr;
  try {
    return functions.find(*of);
  } catch (const error&) {
    throw inexpressible_code{fmt::format("\"{}\" has code that no device runs", of->name)};
  }
}

}  // namespace

std::string device_printer::call_text(const expression& e) const {
  const expression& function = e.parts[0];
  if (function.is != expression_form::name || (function.of && function.of->is != declaration::place::function))
    throw inexpressible_code{"it calls a function through a pointer"};
  const bool is_standard = function.of && function.of->path.starts_with("std::");
  if (!is_standard)
    if (const function_definition* const own = read_definition(parts_.functions, function.of))
      return function_call(e, *own);
  std::vector<argument_text> arguments;
  for (std::size_t i = 1; i < e.parts.size(); ++i)
    arguments.push_back({operand(e.parts[i], precedence_of_assignment), e.parts[i].type});
  if (auto text = library_call(parts_.dialect, library_name(function), arguments)) return *text;
  throw inexpressible_code{fmt::format("it calls \"{}\"", function.spelling)};
}

std::string device_printer::function_call(const expression& e, const function_definition& function) const {
  if (e.parts.size() != function.parameters.size() + 1)
    throw inexpressible_code{fmt::format("\"{}\" is called with another number of arguments", function.of->name)};
  std::vector<pointer_space> given;
  std::string arguments;
  for (std::size_t i = 1; i < e.parts.size(); ++i) {
    const c_type& wanted = function.parameters[i - 1].of->type;
    if (wanted.is_reference && !wanted.is_const)
      throw inexpressible_code{fmt::format("\"{}\" has a reference for a parameter", function.of->name)};
    if (wanted.is == type_form::pointer) {
      const bool is_known = is_pointer_type(decayed(e.parts[i].type));
      const pointer_space space = is_known ? spaces_.of(e.parts[i]) : pointer_space::unknown;
      given.push_back(space == pointer_space::unknown ? pointer_space::global : space);
    }
    arguments += (i > 1 ? ", " : "") + converted(e.parts[i], wanted);
  }
  return fmt::format("{}({})", function_name(function, given), arguments);
}

/// Each function is printed once for each combination of spaces of its parameters.
std::string device_printer::function_name(const function_definition& function,
                                          const std::vector<pointer_space>& given) const {
  const std::pair key(&function, given);
  if (const auto found = parts_.function_names.find(key); found != parts_.function_names.end()) return found->second;
  if (std::ranges::find(parts_.started, &function) != parts_.started.end())
    throw inexpressible_code{fmt::format("the function \"{}\" calls itself", function.of->name)};
  const std::string base = "stretto_call_" + function.of->name;
  std::string name = base;
  for (int i = 2; !parts_.taken_names.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
  parts_.started.push_back(&function);
  device_printer printer(parts_, plan_of_functions, spaces_of_call(function, given, parts_.functions, parts_.dialect));
  std::string text = printer.function_text(function, name);
  parts_.started.pop_back();
  parts_.function_texts.push_back(std::move(text));
  return parts_.function_names[key] = name;
}

std::string device_printer::function_text(const function_definition& function, const std::string& name) {
  std::string parameters, rows;
  for (const function_parameter& one : function.parameters) {
    parameters += (parameters.empty() ? "" : ", ") + declaration_of(*one.of);
    rows += rows_text(one);
  }
  const c_type& result = *function.of->type.element;
  result_ = &result;
  if (result.is == type_form::record) parts_.types.require_whole(result);
  const std::string head = parts_.types.declaration(result, fmt::format("{}({})", name, parameters), spaces_.result());
  return fmt::format("{}{} {{\n{}{}}}\n", parts_.dialect.function_head(), head, rows, print(function.body, 1));
}

/// Sizes of the rows of a parameter, as they are when the function begins.
std::string device_printer::rows_text(const function_parameter& one) {
  const c_type& type = one.of->type;
  if (type.is != type_form::pointer || !has_unknown_size(*type.element)) return "";
  std::string text;
  std::vector<std::string> extents;
  for (const expression& extent : one.rows) {
    const std::string name = fmt::format("stretto_rows{}_of_{}", extents.size(), one.of->name);
    if (extent.is == expression_form::none)
      throw inexpressible_code{fmt::format("\"{}\" has rows of unknown size", one.of->name)};
    text += fmt::format("  const ulong {} = {};\n", name, operand(extent, precedence_of_assignment));
    extents.push_back(name);
  }
  rows_[one.of] = extents;
  return text;
}

}  // namespace stretto::cc::acc
