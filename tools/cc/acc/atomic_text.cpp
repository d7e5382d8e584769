// Atomic operations as functions of the device, or as loops that compare and swap.
#include <fmt/format.h>

#include "cc/acc/c_types.hpp"
#include "cc/acc/device_printer.hpp"
#include "cc/acc/operator_precedence.hpp"

namespace stretto::cc::acc {
namespace {

std::string indented(unsigned depth, const std::string& text) {
  return std::string(2 * std::size_t{depth}, ' ') + text + "\n";
}

/// 1 and 2 bytes are swapped as a part of the 4 bytes around them.
std::string small_swap(const device_dialect& dialect, const std::string& type, const std::string& name,
                       std::size_t bytes) {
  return fmt::format(
      "{0}int stretto_swap_{2}(volatile {3}{1} *at, {1} was, {1} next) {{\n"
      "  union {{ {1} value; {4} bits; }} from, to;\n"
      "  from.value = was;\n"
      "  to.value = next;\n"
      "  {6}{3}uint *const word = ({6}{3}uint *)((ulong)at & ~3ul);\n"
      "  const uint shift = 8 * ((ulong)at & 3);\n"
      "  const uint others = *(volatile {3}uint *)word & ~((uint)({4})-1 << shift);\n"
      "  const uint all = others | (uint)from.bits << shift;\n"
      "  return {5}(word, all, others | (uint)to.bits << shift) == all;\n"
      "}}\n",
      dialect.function_head(), type, name, dialect.qualifier(pointer_space::global), bytes == 1 ? "uchar" : "ushort",
      dialect.swap_function(4), dialect.is_opencl() ? "volatile " : "");
}

std::string whole_swap(const device_dialect& dialect, const std::string& type, const std::string& name,
                       std::size_t bytes) {
  return fmt::format(
      "{0}int stretto_swap_{2}(volatile {3}{1} *at, {1} was, {1} next) {{\n"
      "  union {{ {1} value; {4} bits; }} from, to;\n"
      "  from.value = was;\n"
      "  to.value = next;\n"
      "  return {5}(({6}{3}{4} *)at, from.bits, to.bits) == from.bits;\n"
      "}}\n",
      dialect.function_head(), type, name, dialect.qualifier(pointer_space::global), dialect.swapped_type(bytes),
      dialect.swap_function(bytes), dialect.is_opencl() ? "volatile " : "");
}

}  // namespace

std::string atomic_functions(const device_dialect& dialect, const std::string& type, const std::string& name,
                             std::size_t bytes) {
  return fmt::format(
             "{0}{1} stretto_load_{2}(volatile {3}{1} *from) {{ return *from; }}\n"
             "{0}void stretto_store_{2}(volatile {3}{1} *to, {1} value) {{ *to = value; }}\n",
             dialect.function_head(), type, name, dialect.qualifier(pointer_space::global)) +
         (bytes < 4 ? small_swap(dialect, type, name, bytes) : whole_swap(dialect, type, name, bytes));
}

/// The type as a part of names of functions: "unsigned_long".
std::string device_printer::atomic_name(const c_type& type) const {
  if (!type.is_number() || type.bytes > 8)
    throw inexpressible_code{fmt::format("an atomic operation changes the type \"{}\"", type.spelling)};
  const std::string text = parts_.types.number(type);
  std::string name = text;
  for (char& c : name) c = c == ' ' ? '_' : c;
  parts_.atomics[name] = {text, type.bytes};
  return name;
}

std::string device_printer::swap_loop(const c_type& type, const std::string& pointer, const std::string& change,
                                      unsigned depth, const std::string& after) const {
  const std::string name = atomic_name(type), number = parts_.types.number(type);
  const auto pointer_type = fmt::format("{}{} *const", parts_.dialect.qualifier(pointer_space::global), number);
  return indented(depth, "{") + indented(depth + 1, fmt::format("{} stretto_at = {};", pointer_type, pointer)) +
         indented(depth + 1, fmt::format("{} stretto_was, stretto_next;", number)) + indented(depth + 1, "do {") +
         indented(depth + 2, fmt::format("stretto_was = stretto_load_{}(stretto_at);", name)) +
         indented(depth + 2, change) +
         indented(depth + 1, fmt::format("}} while (!stretto_swap_{}(stretto_at, stretto_was, stretto_next));", name)) +
         (after.empty() ? "" : indented(depth + 1, after)) + indented(depth, "}");
}

/// Nothing if the device has no function for the change.
std::string device_printer::one_function_text(const atomic_operation& of, const std::string& pointer,
                                              unsigned depth) const {
  const c_type& type = *of.target.type;
  const auto change = operator_of(of);
  const std::string_view what = change ? change->integer_function(type) : "";
  const std::string function = what.empty() ? "" : parts_.dialect.change_function(what, type.bytes);
  if (function.empty()) return "";
  const std::string number = parts_.types.number(type);
  const std::string operand_text =
      fmt::format("const {0} stretto_operand = ({0}){1};", number, operand(*change->operand, precedence_of_unary));
  std::string call = fmt::format("{}({}, stretto_operand)", function, pointer);
  if (of.gets_next) call += fmt::format(" {} stretto_operand", change->sign);
  const bool is_captured = of.into.is != expression_form::none;
  const std::string into = is_captured ? operand(of.into, precedence_of_unary) + " = " : "";
  return indented(depth, "{") + indented(depth + 1, operand_text) + indented(depth + 1, into + call + ";") +
         indented(depth, "}");
}

std::string device_printer::atomic_text(const statement& s, unsigned depth) const {
  const auto one = atomic_operation_of(s);
  if (!one) throw inexpressible_code{"it has an atomic statement of another form than OpenACC has"};
  if (spaces_.place_of(one->target) == pointer_space::own) {  // no other gang sees it
    is_inside_atomic_ = true;
    std::string text = print(s, depth);
    is_inside_atomic_ = false;
    return text;
  }
  if (!one->target.type) throw inexpressible_code{"it has an atomic operation on an unknown type"};
  const c_type& type = *one->target.type;
  const std::string name = atomic_name(type);
  const std::string target = "&" + operand(one->target, precedence_of_unary);
  const bool is_captured = one->into.is != expression_form::none;
  const std::string into = is_captured ? operand(one->into, precedence_of_unary) : "";
  if (one->next.is == expression_form::none)
    return line_mark(s) + indented(depth, fmt::format("{} = stretto_load_{}({});", into, name, target));
  if (one->is_write && !is_captured)
    return line_mark(s) + indented(depth, fmt::format("stretto_store_{}({}, {});", name, target,
                                                      operand(one->next, precedence_of_assignment)));
  if (std::string text = one_function_text(*one, target, depth); !text.empty()) return line_mark(s) + text;
  replaced_ = &one->target;
  const std::string next = fmt::format("stretto_next = {};", operand(one->next, precedence_of_assignment));
  replaced_ = nullptr;
  const std::string after =
      is_captured ? fmt::format("{} = {};", into, one->gets_next ? "stretto_next" : "stretto_was") : "";
  return line_mark(s) + swap_loop(type, target, next, depth, after);
}

}  // namespace stretto::cc::acc
