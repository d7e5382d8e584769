#include "cc/acc/host_atomic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "cc/acc/atomic_operation.hpp"
#include "cc/acc/code_printer.hpp"

namespace stretto::cc::acc {
namespace {

/// Orders of memory, as compilers number them: the text has no macros.
enum memory_order : std::uint8_t { relaxed = 0, acquire = 2, release = 3, acquire_and_release = 4 };

bool is_bit_field(const expression& e) {
  if (e.is != expression_form::member && e.is != expression_form::arrow) return false;
  const c_type* type = e.parts[0].type.get();
  if (type && e.is == expression_form::arrow) type = type->element.get();
  if (!type || !type->record) return true;  // it may be one
  const auto found = std::ranges::find(type->record->fields, e.spelling, &field::name);
  return found == type->record->fields.end() || found->is_bit_field;
}

bool has_atomic_functions(const expression& target) {
  const c_type* const type = target.type.get();
  return type && type->is_number() && type->bytes <= 8 && !type->is_const && !is_bit_field(target);
}

class atomic_lines {
 public:
  atomic_lines(const atomic_operation& of, const code_printer& printer, unsigned depth)
      : of_(of), printer_(printer), depth_(depth), type_(fmt::format("__typeof__({})", printer.print(of.target))) {}

  std::string text() const {
    if (of_.next.is == expression_form::none) return block({loaded(acquire), kept()});
    if (of_.is_write) return block({next(of_.next), exchanged(), kept()});
    const auto change = operator_of(of_);
    const std::string_view function = change && !is_enumeration() ? change->integer_function(*of_.target.type) : "";
    if (!function.empty()) return one_instruction(function, *change->operand);
    if (!change) return swapped("", with_name(of_.next, of_.target, "stretto_was"));
    const std::string value = printer_.print(*change->operand);
    expression next = of_.next;
    next.parts[change->is_target_first ? 0 : 1] = name_expression("stretto_was");
    next.parts[change->is_target_first ? 1 : 0] = name_expression("stretto_operand");
    return swapped(fmt::format("const __typeof__(({0}) + 0) stretto_operand = {0};", value), next);
  }

 private:
  bool is_enumeration() const { return of_.target.type->spelling.find("enum") != std::string::npos; }

  /// Lines with a pointer to the target and its values before and after.
  std::string block(std::initializer_list<std::string> lines) const {
    std::string text = fmt::format("{0}{{\n{0}  {1} *const stretto_at = &({2}), stretto_was, stretto_next;\n",
                                   indent_of(depth_), type_, printer_.print(of_.target));
    text += indent_of(depth_ + 1) + "(void)stretto_was, (void)stretto_next;\n";
    for (const std::string& line : lines)
      if (!line.empty()) text += indent_of(depth_ + 1) + line + "\n";
    return text + indent_of(depth_) + "}\n";
  }

  std::string next(const expression& value) const {
    return fmt::format("stretto_next = ({})({});", type_, printer_.print(value));
  }

  static std::string loaded(memory_order order) {
    return fmt::format("__atomic_load(stretto_at, &stretto_was, {});", int{order});
  }

  std::string exchanged() const {
    if (of_.into.is == expression_form::none)
      return fmt::format("__atomic_store(stretto_at, &stretto_next, {});", int{release});
    return fmt::format("__atomic_exchange(stretto_at, &stretto_next, &stretto_was, {});", int{acquire_and_release});
  }

  /// The variable that gets the value.
  std::string kept() const {
    if (of_.into.is == expression_form::none) return "";
    return fmt::format("{} = {};", printer_.print(of_.into), of_.gets_next ? "stretto_next" : "stretto_was");
  }

  std::string swapped(const std::string& ahead, const expression& value) const {
    const std::string swap =
        fmt::format("while (!__atomic_compare_exchange(stretto_at, &stretto_was, &stretto_next, 1, {}, {}));",
                    int{acquire_and_release}, int{relaxed});
    return block({ahead, loaded(relaxed), "do", "  " + next(value), swap, kept()});
  }

  std::string one_instruction(std::string_view function, const expression& operand) const {
    const std::string call =
        of_.gets_next ? fmt::format("__atomic_{}_fetch", function) : fmt::format("__atomic_fetch_{}", function);
    const std::string into = of_.into.is == expression_form::none ? "" : printer_.print(of_.into) + " = ";
    return fmt::format("{}{}{}(&({}), ({})({}), {});\n", indent_of(depth_), into, call, printer_.print(of_.target),
                       type_, printer_.print(operand), int{acquire_and_release});
  }

  const atomic_operation& of_;
  const code_printer& printer_;
  unsigned depth_;
  std::string type_;
};

}  // namespace

std::string host_atomic_text(const statement& s, const code_printer& printer, unsigned depth) {
  const auto found = atomic_operation_of(s);
  if (found && has_atomic_functions(found->target)) return atomic_lines(*found, printer, depth).text();
  statement plain = s;  // without its directive
  plain.directive = nullptr;
  const std::string indent = indent_of(depth);
  return fmt::format("{0}{{\n{0}stretto_acc_lock();\n{1}{0}stretto_acc_unlock();\n{0}}}\n", indent,
                     printer.print(plain, depth));
}

}  // namespace stretto::cc::acc
