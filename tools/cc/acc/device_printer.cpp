#include "cc/acc/device_printer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cc/acc/c_types.hpp"
#include "cc/acc/operator_precedence.hpp"

namespace stretto::cc::acc {
namespace {

/// More would not fit on the stacks of devices, which have one for each of many gangs.
constexpr std::size_t most_private_bytes = std::size_t{1} << 16;

bool is_long_double(const expression& e) { return e.type && e.type->is == type_form::floating && e.type->bytes > 8; }

bool is_number_literal(const expression& e) {
  return e.is == expression_form::literal && e.spelling.find_first_of("\"'") == std::string::npos;
}

}  // namespace

std::string device_printer::declaration_of(const declaration& of) const { return declaration_of(of, of.type); }

void device_printer::check_private_size(std::size_t bytes, const std::string& name) {
  if (bytes > most_private_bytes)
    throw inexpressible_code{fmt::format("\"{}\" takes {} bytes in each gang", name, bytes)};
}

std::string device_printer::declaration_of(const declaration& of, const c_type& type) const {
  check_private_size(type.bytes, of.name);
  const c_type& base = innermost_element(type);
  if (base.is == type_form::record) parts_.types.require_whole(base);
  return parts_.types.declaration(type, identifier(of), spaces_.of_variable(of));
}

/// Constants of enumerations are numbers: those of a function do not exist outside of it.
std::string device_printer::constant_text(const expression& e) const {
  const bool is_int = e.of->value >= INT32_MIN && e.of->value <= INT32_MAX;
  return fmt::format("({}{})", e.of->value, is_int ? "" : "L");
}

std::string device_printer::name_text(const expression& e) const {
  if (!e.of) throw inexpressible_code{fmt::format("nothing declares \"{}\"", e.spelling)};
  if (e.of->is == declaration::place::constant) return constant_text(e);
  if (e.of->is == declaration::place::function)
    throw inexpressible_code{fmt::format("it uses the address of the function \"{}\"", e.spelling)};
  const std::string name = identifier(*e.of);
  if (spaces_.shifted_part(e))
    throw inexpressible_code{
        fmt::format("it uses \"{}\", of which gangs have a part, not by its elements", e.spelling)};
  if (spaces_.is_copy(e.of)) return name;
  const auto found = std::ranges::find(plan_.arguments, e.of, &kernel_argument::of);
  const bool is_argument = found != plan_.arguments.end();
  const bool is_outside = e.of->is == declaration::place::global || e.of->is == declaration::place::static_;
  if (is_outside && !is_argument)
    throw inexpressible_code{fmt::format("a function that it calls uses the variable \"{}\" of the host", e.spelling)};
  if (!is_argument || found->way != argument_way::reference) return name;
  const bool has_elements = e.of->type.is == type_form::array || e.of->type.is == type_form::pointer;
  return has_elements ? "stretto_of_" + name : fmt::format("(*stretto_of_{})", name);
}

void device_printer::check_type(const expression& e) const {
  if (!e.type) return;
  if (e.type->is == type_form::record) parts_.types.require_whole(*e.type);
  if (e.type->is == type_form::pointer && e.type->element->is == type_form::record)
    parts_.types.require_whole(*e.type->element);
  if (is_long_double(e)) throw inexpressible_code{"it uses the type \"long double\""};
  if (e.type->is == type_form::other)
    throw inexpressible_code{fmt::format("it uses the type \"{}\"", e.type->spelling)};
  if (e.type->is_number()) parts_.types.number(*e.type);
}

std::optional<std::string> device_printer::other_form(const expression& e) const {
  if (replaced_ && is_same(e, *replaced_)) return "stretto_was";
  if (e.is == expression_form::name && e.of && e.of->is == declaration::place::function) return std::nullopt;
  check_type(e);
  if (is_null_pointer(e) && e.is == expression_form::cast) return "0";
  if (auto rows = row_text(e)) return rows;
  switch (e.is) {
    case expression_form::literal: return literal_text(e);
    case expression_form::cast: return cast_text(e);
    case expression_form::size_of: return size_text(e);
    case expression_form::element: return element_text(e);
    case expression_form::member:
    case expression_form::arrow: return member_text(e);
    case expression_form::call: return call_text(e);
    case expression_form::binary: return assignment_text(e);
    case expression_form::conditional:
      if (is_pointer_type(e.type)) spaces_.check_same(e.parts[1], e.parts[2]);
      return std::nullopt;
    case expression_form::designated:
      if (!parts_.dialect.is_opencl()) throw inexpressible_code{"it has a designated initializer"};
      return std::nullopt;
    default: return std::nullopt;
  }
}

std::optional<std::string> device_printer::literal_text(const expression& e) const {
  std::string text;
  if (is_number_literal(e)) {
    if (e.spelling.find_first_of("ij") != std::string::npos)
      throw inexpressible_code{fmt::format("it uses the complex number \"{}\"", e.spelling)};
    return parts_.dialect.literal(e.spelling);
  }
  // In C++ texts are constant.
  if (e.spelling.front() == '"' && !parts_.dialect.is_opencl()) return fmt::format("((char *){})", e.spelling);
  return e.spelling;
}

/// DBL_MAX is a long double that is converted.
std::string device_printer::cast_text(const expression& e) const {
  const expression& of = e.parts[0];
  if (of.is == expression_form::list) {
    const bool is_record = e.type && e.type->is == type_form::record && e.type->record;
    if (!is_record) throw inexpressible_code{"it has a compound literal of an array"};
    const std::string list = list_text(of, *e.type);
    if (!parts_.dialect.is_opencl()) return parts_.types.record_name(*e.type->record) + list;
    return fmt::format("(({}){})", parts_.types.declaration(*e.type, ""), list);
  }
  if (!e.type) throw inexpressible_code{"it has a conversion to an unknown type"};
  const pointer_space space = is_pointer_type(e.type) ? spaces_.of(e) : pointer_space::unknown;
  if (is_pointer_type(e.type) && !is_pointer_type(decayed(of.type)))
    return fmt::format("({})(ulong){}", parts_.types.declaration(*e.type, "", space), operand(of, precedence_of_unary));
  const std::string type = parts_.types.declaration(*e.type, "", space);
  if (is_number_literal(of) && is_long_double(of))
    return fmt::format("({}){}", type, of.spelling.substr(0, of.spelling.size() - 1));
  return fmt::format("({}){}", type, operand(of, precedence_of_unary));
}

std::string device_printer::member_text(const expression& e) const {
  const type_ref of = e.is == expression_form::arrow ? decayed(e.parts[0].type) : e.parts[0].type;
  if (of) {
    const c_type& record = of->is == type_form::pointer ? *of->element : *of;
    if (record.is == type_form::record) parts_.types.require_whole(record);
  }
  return fmt::format("{}{}{}", operand(e.parts[0], precedence_of_postfix), e.is == expression_form::arrow ? "->" : ".",
                     parts_.dialect.identifier(e.spelling));
}

/// A pointer that lies in memory cannot point to a variable of a gang.
void device_printer::check_stored(const expression& e) const {
  if (!is_pointer_type(decayed(e.type)) || !parts_.dialect.is_opencl()) return;
  if (spaces_.of(e) == pointer_space::own)
    throw inexpressible_code{"a pointer to a variable of one gang is stored in a record or an array"};
}

std::string device_printer::converted(const expression& e, const c_type& to) const {
  const type_ref from = decayed(e.type);
  const bool are_pointers = to.is == type_form::pointer && is_pointer_type(from) && !is_null_pointer(e);
  if (!are_pointers) return operand(e, precedence_of_assignment);
  const pointer_space space = spaces_.of(e);
  const std::string wanted = parts_.types.declaration(to, "", space);
  if (wanted == parts_.types.declaration(*from, "", space)) return operand(e, precedence_of_assignment);
  return fmt::format("({}){}", wanted, operand(e, precedence_of_unary));
}

std::optional<std::string> device_printer::assignment_text(const expression& e) const {
  const bool are_pointers = is_pointer_type(decayed(e.parts[0].type)) && is_pointer_type(decayed(e.parts[1].type));
  if (are_pointers && e.spelling != "=" && e.spelling != ",") spaces_.check_same(e.parts[0], e.parts[1]);
  if (e.spelling != "=" || !is_pointer_type(e.parts[0].type)) return std::nullopt;
  const bool is_variable = e.parts[0].is == expression_form::name;
  if (!is_variable) check_stored(e.parts[1]);
  return fmt::format("{} = {}", operand(e.parts[0], precedence_of_unary), converted(e.parts[1], *e.parts[0].type));
}

std::string device_printer::list_text(const expression& e, const c_type& type) const {
  std::string text;
  for (std::size_t i = 0; i < e.parts.size(); ++i) {
    const expression& one = e.parts[i];
    const c_type* of = type.is == type_form::array ? type.element.get() : nullptr;
    if (type.is == type_form::record && type.record && i < type.record->fields.size())
      of = &type.record->fields[i].type;
    check_stored(one);
    const std::string value = of && one.is != expression_form::designated ? initial_text(one, *of) : print(one);
    // C++ does not narrow in lists.
    const bool is_narrow = !parts_.dialect.is_opencl() && of && of->is_number() && one.type &&
                           one.is != expression_form::list && one.type->spelling != of->spelling;
    text += (i > 0 ? ", " : "") + (is_narrow ? fmt::format("({})({})", parts_.types.number(*of), value) : value);
  }
  return fmt::format("{{{}}}", text);
}

std::string device_printer::initial_text(const expression& e, const c_type& type) const {
  const bool is_text = e.is == expression_form::literal && type.is == type_form::array;
  if (is_text) return e.spelling;
  return e.is == expression_form::list ? list_text(e, type) : converted(e, type);
}

std::string device_printer::variable_text(const local_variable& one) const {
  const std::string& name = one.of->name;
  if (one.is_static) throw inexpressible_code{fmt::format("\"{}\" is a static variable", name)};
  const c_type& type = one.of->type;
  if (type.is == type_form::pointer && has_unknown_size(*type.element))
    throw inexpressible_code{fmt::format("\"{}\" points to rows whose size is no constant", name)};
  std::string text = declaration_of(*one.of);
  if (one.initial.is != expression_form::none) text += " = " + initial_text(one.initial, type);
  return text;
}

std::optional<std::string> device_printer::replacement(const statement& s, unsigned depth) const {
  const bool is_atomic = s.directive && s.directive->what.kind == directive_kind::atomic && !is_inside_atomic_;
  if (is_atomic) return atomic_text(s, depth);
  const bool is_gang_loop = s.directive && s.is == statement_form::for_ && s.directive->what.find(clause_kind::gang);
  if (is_gang_loop && plan_.loops.empty() && !plan_.directive)
    throw inexpressible_code{"a function that it calls divides a loop among gangs"};
  if (s.is == statement_form::return_ && plan_.directive) throw inexpressible_code{"it returns from its function"};
  const bool has_variables = s.is == statement_form::for_ && s.parts[0].is == statement_form::declarations;
  if (has_variables && s.parts[0].variables.size() > 1) return for_with_block(s, depth);
  if (s.is == statement_form::return_ && s.values[0].is != expression_form::none && result_)
    return fmt::format("{}{}return {};\n", line_mark(s), std::string(2 * std::size_t{depth}, ' '),
                       converted(s.values[0], *result_));
  return std::nullopt;
}

/// Variables of one declaration may point to different memories: each is declared alone.
std::string device_printer::for_with_block(const statement& s, unsigned depth) const {
  const std::string indent(2 * std::size_t{depth}, ' ');
  statement loop = s;
  loop.parts[0] = {.is = statement_form::empty};
  return fmt::format("{0}{{\n{1}{2}{0}}}\n", indent, print(s.parts[0], depth + 1), plain_text(loop, depth + 1));
}

std::string device_printer::line_mark(const statement& s) const {
  const source_line where = parts_.source.line_at(s.offset);
  if (where.file.empty() || s.offset == 0) return "";
  std::string file;
  for (const char c : where.file) file += c == '\\' || c == '"' ? std::string("\\") + c : std::string(1, c);
  return fmt::format("#line {} \"{}\"\n", where.line, file);
}

}  // namespace stretto::cc::acc
