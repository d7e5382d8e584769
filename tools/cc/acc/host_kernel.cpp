#include "cc/acc/host_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "cc/acc/c_types.hpp"
#include "cc/acc/code_printer.hpp"
#include "cc/acc/directive_text.hpp"
#include "cc/acc/divided_loops.hpp"
#include "cc/acc/host_atomic.hpp"
#include "cc/acc/loop_shape.hpp"
#include "cc/acc/not_translated.hpp"
#include "cc/acc/operator_precedence.hpp"
#include "cc/acc/reduction_text.hpp"

namespace stretto::cc::acc {
namespace {

class host_emitter final : public code_printer {
 public:
  host_emitter(const region_plan& plan, const preprocessed_text& source, language language)
      : plan_(plan), source_(source), is_cxx_(language == language::cxx) {}

  std::string kernel(const std::string& name, const statement& region) const {
    std::string text = fmt::format("{}(void **stretto_arguments, long stretto_gang, long stretto_gangs) {{\n",
                                   is_cxx_ ? fmt::format("void (*const {})(void **, long, long) = []", name)
                                           : fmt::format("static void {}", name));
    text += "  (void)stretto_arguments, (void)stretto_gang, (void)stretto_gangs;\n";
    std::size_t index = 0;
    for (const kernel_argument& one : plan_.arguments) {
      for (const row_extent& extent : one.sized.extents)
        text +=
            fmt::format("  const unsigned long {} = *(unsigned long *)stretto_arguments[{}];\n", extent.name, index++);
      text += argument_text(one, index++);
    }
    for (const kernel_argument& one : plan_.arguments)
      if (one.copied) text += copied_text(one);
    for (const private_variable& one : plan_.privates) text += private_text(one, 1);
    for (const reduced_variable& one : plan_.reductions) text += reduction_start(one, 1);
    text += print(region, 1);
    for (const reduced_variable& one : plan_.reductions) text += reduction_end(one, 1);
    if (!is_cxx_) return text + "}\n";
    text += "};\n";
    for (const std::string& one : constants_) text += fmt::format("(void){};\n", one);  // else compilers find no use
    return text;
  }

 protected:
  std::string name_text(const expression& e) const override {
    if (e.of && e.of->is == declaration::place::constant) return constant_text(e);
    if (shifted_part(e))
      not_translated(source_.line_at(e.offset),
                     fmt::format("the use of \"{}\", of which gangs have a part, but by its elements", e.spelling));
    if (!e.of || e.of->is == declaration::place::function) return e.spelling;
    if (is_reduced_here(e.of) || !is_reference(e.of)) return e.of->name;
    return has_elements(e.of->type) ? "stretto_of_" + e.of->name : fmt::format("(*stretto_of_{})", e.of->name);
  }

  /// Arrays of the host are pointers in the kernel.
  std::optional<std::string> other_form(const expression& e) const override {
    if (e.is == expression_form::element)
      if (const own_part* const part = shifted_part(e.parts[0]))
        return own_element(*part, e.parts[0].of->name, print(e.parts[1]));
    if (e.is != expression_form::size_of || e.parts.empty()) return std::nullopt;
    const expression& of = e.parts[0];
    if (!of.type || of.type->is != type_form::array) return std::nullopt;
    if (of.type->bytes > 0) return fmt::format("{}ul", of.type->bytes);
    const bool is_argument = std::ranges::find(plan_.arguments, of.of, &kernel_argument::of) != plan_.arguments.end();
    if (of.is == expression_form::name && is_argument)
      not_translated(source_.line_at(e.offset),
                     fmt::format("the size of the array \"{}\", which is no constant,", of.spelling));
    return std::nullopt;
  }

  std::optional<std::string> replacement(const statement& s, unsigned depth) const override {
    if (const auto found = plan_.loops.find(&s); found != plan_.loops.end())
      return found->second.is_divided ? divided_text(s, found->second, depth) : undivided_text(s, found->second, depth);
    if (s.directive && s.directive->what.kind == directive_kind::atomic)
      return line_mark(s) + host_atomic_text(s, *this, depth);
    return std::nullopt;
  }

  std::string line_mark(const statement& s) const override {
    const source_line where = source_.line_at(s.offset);
    return where.file.empty() ? "" : fmt::format("# {} \"{}\"\n", where.line, where.file);
  }

 private:
  /// In C an enumeration of a function does not exist outside of it. In C++ a lambda sees all constants, but may not
  /// take the address of a variable of the function around it.
  std::string constant_text(const expression& e) const {
    if (!is_cxx_) return fmt::format("({})", e.of->value);
    if (!e.of->is_of_function || std::ranges::find(declared_, e.of) != declared_.end()) return e.spelling;
    if (std::ranges::find(constants_, e.spelling) == constants_.end()) constants_.push_back(e.spelling);
    const type_ref type = without_const(std::make_shared<const c_type>(e.of->type));
    return type->spelling == "int" ? fmt::format("({})", e.of->value)
                                   : fmt::format("(({}){})", type->spelling, e.of->value);
  }

  std::string variable_text(const local_variable& one) const override {
    declared_.push_back(one.of);
    return code_printer::variable_text(one);
  }

  std::string argument_text(const kernel_argument& one, std::size_t index) const {
    const std::string& name = one.of->name;
    const c_type& type = *one.sized.type;
    switch (one.way) {
      case argument_way::value:
        if (type.is == type_form::array)
          return fmt::format("  {};\n  __builtin_memcpy({}, stretto_arguments[{}], sizeof {});\n",
                             declaration_text(type, name), name, index, name);
        return fmt::format("  {} = *({})stretto_arguments[{}]; (void){};\n",
                           declaration_text(type, one.copied ? "stretto_of_" + name : name),
                           declaration_text(type, "*"), index, one.copied ? "stretto_of_" + name : name);
      case argument_way::reference:
        if (has_elements(type))  // by its first element
          return fmt::format(
              "  {} = ({}){}stretto_arguments[{}];\n", declaration_text(*type.element, "*stretto_of_" + name),
              declaration_text(*type.element, "*"), type.is == type_form::array ? "" : "*(void **)", index);
        return fmt::format("  {} = ({})stretto_arguments[{}];\n", declaration_text(type, "*const stretto_of_" + name),
                           declaration_text(type, "*"), index);
      case argument_way::array:
        return fmt::format("  {} = ({})stretto_arguments[{}]; (void){};\n",
                           declaration_text(*pointer_to(type.element), name),
                           declaration_text(*pointer_to(type.element), ""), index, name);
    }
    return "";
  }

  /// Of the name of an array: the gang's own part of it, unless that begins at 0.
  const own_part* shifted_part(const expression& e) const {
    if (e.is != expression_form::name) return nullptr;
    const auto found = std::find_if(parts_.rbegin(), parts_.rend(), [&](const auto& one) { return one.first == e.of; });
    return found == parts_.rend() || !found->second || found->second->begins_at_0() ? nullptr : found->second;
  }

  /// A gang's own copy of a part behind a pointer.
  std::string copied_text(const kernel_argument& one) const {
    const std::string& name = one.of->name;
    parts_.emplace_back(one.of, &*one.copied);
    return own_text(*one.copied, name, 1) + fmt::format("  __builtin_memcpy({0}, stretto_of_{1} + {2}, sizeof {0});\n",
                                                        own_name(*one.copied, name), name,
                                                        first_name(*one.copied, name));
  }

  static std::string own_text(const own_part& part, const std::string& name, unsigned depth) {
    const std::string own = own_name(part, name), first = first_name(part, name), in = indent_of(depth);
    std::string text;
    if (!is_number(part.first)) text += fmt::format("{}const long {} = {};\n", in, first, part.first);
    text += fmt::format("{}{};\n", in, declaration_text(part.element, fmt::format("{}[{}]", own, part.length)));
    return text;
  }

  std::string private_text(const private_variable& one, unsigned depth) const {
    parts_.emplace_back(one.of, one.part ? &*one.part : nullptr);
    if (one.part) return own_text(*one.part, one.of->name, depth);
    return fmt::format("{}{};\n", indent_of(depth), declaration_text(one.of->type, one.of->name));
  }

  std::string reduction_start(const reduced_variable& one, unsigned depth) const {
    reduced_.push_back(one.of);
    parts_.emplace_back(one.of, one.part ? &*one.part : nullptr);
    const c_type& type = one.of->type;
    const std::string& name = one.of->name;
    // One gang alone continues with the value of the host.
    if (!one.part)
      return fmt::format("{}{} = stretto_gangs == 1 ? *stretto_of_{} : {};\n", indent_of(depth),
                         declaration_text(type, name), name, identity_text(type, one.operation));
    return own_text(*one.part, name, depth) + indent_of(depth) + each_own_element(*one.part, name) +
           fmt::format("{}[stretto_i] = {};\n", own_name(*one.part, name), identity_text(*type.element, one.operation));
  }

  static std::string each_own_element(const own_part& part, const std::string& name) {
    return fmt::format("for (unsigned long stretto_i = 0; stretto_i < sizeof {0} / sizeof {0}[0]; ++stretto_i) ",
                       own_name(part, name));
  }

  std::string reduction_end(const reduced_variable& one, unsigned depth) const {
    reduced_.pop_back();
    parts_.pop_back();
    const std::string& name = one.of->name;
    if (!one.part)
      return fmt::format(
          "{0}if (stretto_gangs == 1) *stretto_of_{1} = {1};\n{0}else {{ stretto_acc_lock(); {2} stretto_acc_unlock(); "
          "}}\n",
          indent_of(depth), name, combination_text("*stretto_of_" + name, name, one.operation));
    const std::string combined =
        combination_text(fmt::format("stretto_of_{}[{} + stretto_i]", name, first_name(*one.part, name)),
                         own_name(*one.part, name) + "[stretto_i]", one.operation);
    return fmt::format("{0}stretto_acc_lock();\n{0}{1}{2}\n{0}stretto_acc_unlock();\n", indent_of(depth),
                       each_own_element(*one.part, name), combined);
  }

  bool is_reduced_here(const declaration* of) const { return std::ranges::find(reduced_, of) != reduced_.end(); }

  /// The iterations of nested loops as one range, of which each gang has a part.
  std::string divided_text(const statement& loop, const loop_plan& plan, unsigned depth) const {
    const auto shapes = nested_shapes(loop, plan.collapsed);
    divided_loops loops;
    for (const loop_shape& one : shapes)
      loops.push_back(
          {declaration_text(*without_const(std::make_shared<const c_type>(one.variable->type)), one.variable->name),
           one.variable->name, operand(one.first, 12), step_text(one), trips_text(one), one.goes_down,
           plan.sets_variables && is_reference(one.variable)});
    std::string text = indent_of(depth) + "{\n" + counts_text(loops, depth + 1);
    for (const reduced_variable& one : plan.reductions) text += reduction_start(one, depth + 1);
    text += contiguous_text(loops, [&](unsigned inside) { return iteration_of(shapes, plan, inside); }, depth + 1);
    for (const reduced_variable& one : plan.reductions) text += reduction_end(one, depth + 1);
    return text + values_behind_text(loops, depth + 1) + indent_of(depth) + "}\n";
  }

  std::string iteration_of(const std::vector<loop_shape>& shapes, const loop_plan& plan, unsigned depth) const {
    std::string text;
    const std::size_t before = reduced_.size(), parts = parts_.size();
    for (const private_variable& one : plan.privates)
      if (!is_variable_of(shapes, one.of)) text += private_text(one, depth);
    for (const loop_shape& one : shapes) reduced_.push_back(one.variable);
    for (const declaration* const one : plan.last_values) {
      text += fmt::format("{}{};\n", indent_of(depth), declaration_text(one->type, one->name));
      reduced_.push_back(one);
    }
    const std::string body = print(*shapes.back().body, depth);
    reduced_.resize(before);
    parts_.resize(parts);
    if (plan.last_values.empty()) return text + body;
    // A body may end by continue.
    text += indent_of(depth) + "do {\n" + body + indent_of(depth) + "} while (0);\n";
    text += indent_of(depth) + "if (stretto_k + 1 == stretto_count) {\n";
    for (const declaration* const one : plan.last_values)
      text += fmt::format("{0}*stretto_of_{1} = {1};\n", indent_of(depth + 1), one->name);
    return text + indent_of(depth) + "}\n";
  }

  bool is_reference(const declaration* of) const {
    const auto found = std::ranges::find(plan_.arguments, of, &kernel_argument::of);
    return found != plan_.arguments.end() && found->way == argument_way::reference;
  }

  static bool is_variable_of(const std::vector<loop_shape>& shapes, const declaration* of) {
    return std::ranges::find(shapes, of, &loop_shape::variable) != shapes.end();
  }

  std::string trips_text(const loop_shape& shape) const {
    const bool is_pointer = shape.variable->type.is == type_form::pointer;
    const auto number = [&](const expression& e) {
      return (is_pointer ? "" : "(long)") + operand(e, precedence_of_unary);
    };
    const std::string distance = shape.goes_down ? fmt::format("{} - {}", number(shape.first), number(shape.last))
                                                 : fmt::format("{} - {}", number(shape.last), number(shape.first));
    return fmt::format("stretto_acc_trips({}{}, {})", distance, shape.is_last_included ? " + 1" : "", step_text(shape));
  }

  std::string step_text(const loop_shape& shape) const {
    return shape.step.is == expression_form::none ? "1" : operand(shape.step, precedence_of_assignment);
  }

  /// A loop that each gang runs whole, with variables of its own.
  std::string undivided_text(const statement& loop, const loop_plan& plan, unsigned depth) const {
    const auto shapes = nested_shapes(loop, plan.collapsed);
    const auto in = [&](unsigned more) { return indent_of(depth + more); };
    std::string text = in(0) + "{\n";
    for (const loop_shape& one : shapes)
      if (loop_declares_outside(one, loop))
        text += fmt::format("{}{};\n", in(1), declaration_text(one.variable->type, one.variable->name));
    const std::size_t parts = parts_.size();
    for (const private_variable& one : plan.privates)
      if (!is_variable_of(shapes, one.of)) text += private_text(one, depth + 1);
    text += line_mark(loop) + in(1) + head_of_for(loop) + "\n" + body_text(loop.parts[1], depth + 1);
    parts_.resize(parts);
    return text + in(0) + "}\n";
  }

  /// Whether the variable of the outermost loop is declared ahead of it. Those of loops inside are then declared, too.
  static bool loop_declares_outside(const loop_shape& shape, const statement& loop) {
    const statement* at = &loop;
    while (at && at->is == statement_form::for_) {
      if (const auto found = loop_shape_of(*at); found && found->variable == shape.variable)
        return at->parts[0].is == statement_form::evaluate;
      at = &at->parts[1];
      while (at->is == statement_form::block && at->parts.size() == 1) at = &at->parts[0];
    }
    return false;
  }

  const region_plan& plan_;
  const preprocessed_text& source_;
  const bool is_cxx_;
  mutable std::vector<std::string> constants_;        // of the function around, by their values
  mutable std::vector<const declaration*> declared_;  // in the region
  mutable std::vector<const declaration*> reduced_;   // that have a part of their own where the text is
  mutable std::vector<std::pair<const declaration*, const own_part*>> parts_;  // of own variables, innermost last
};

}  // namespace

std::string host_kernel(const std::string& name, const region_plan& plan, const statement& region,
                        const preprocessed_text& source, language language) {
  return host_emitter(plan, source, language).kernel(name, region);
}

}  // namespace stretto::cc::acc
