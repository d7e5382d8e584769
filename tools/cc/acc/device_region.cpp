#include "cc/acc/device_region.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cc/acc/c_types.hpp"
#include "cc/acc/divided_loops.hpp"
#include "cc/acc/operator_precedence.hpp"
#include "cc/acc/reduction_text.hpp"

namespace stretto::cc::acc {
namespace {

constexpr std::size_t bytes_of_extent = 8;

std::string spaces_for(unsigned depth) { return std::string(2 * std::size_t{depth}, ' '); }

/// Records with pointers or truth values cannot be parameters of OpenCL.
bool may_be_parameter(const c_type& type) {
  if (type.is == type_form::array) return may_be_parameter(*type.element);
  if (type.is != type_form::record) return type.is == type_form::integer || type.is == type_form::floating;
  return type.record &&
         std::ranges::all_of(type.record->fields, [](const field& one) { return may_be_parameter(one.type); });
}

bool is_variable_of(const std::vector<loop_shape>& shapes, const declaration* of) {
  return std::ranges::find(shapes, of, &loop_shape::variable) != shapes.end();
}

/// Whether the variable of a loop is declared ahead of it.
bool is_declared_outside(const loop_shape& shape, const statement& loop) {
  const statement* at = &loop;
  while (at->is == statement_form::for_) {
    if (const auto found = loop_shape_of(*at); found && found->variable == shape.variable)
      return at->parts[0].is == statement_form::evaluate;
    at = &at->parts[1];
    while (at->is == statement_form::block && at->parts.size() == 1) at = &at->parts[0];
  }
  return false;
}

}  // namespace

std::string device_region::kernel_text(const std::string& name, const statement& region) {
  for (std::size_t i = 0; i < plan_.arguments.size(); ++i) add_argument(i);
  std::string text =
      fmt::format("  const long stretto_gang = {}, stretto_gangs = {};\n  (void)stretto_gang, (void)stretto_gangs;\n",
                  parts_.dialect.gang(), parts_.dialect.gangs());
  text += start_;
  for (const kernel_argument& one : plan_.arguments)
    if (one.copied) text += copied_text(one);
  for (const private_variable& one : plan_.privates) text += private_text(one, 1);
  for (const reduced_variable& one : plan_.reductions) text += reduction_start(one, 1);
  text += print(region, 1);
  for (const reduced_variable& one : plan_.reductions) text += reduction_end(one, 1);
  return fmt::format("{}{}({}) {{\n{}}}\n", parts_.dialect.kernel_head(), name, heads_, text);
}

void device_region::add_parameter(const std::string& text, device_parameter one) {
  heads_ += (heads_.empty() ? "" : ", ") + text;
  parameters_.push_back(one);
}

void device_region::add_argument(std::size_t index) {
  const kernel_argument& one = plan_.arguments[index];
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < one.sized.extents.size(); ++i)
    add_parameter("const ulong " + one.sized.extents[i].name,
                  {device_parameter::form::value, index, i, bytes_of_extent});
  const bool has_rows = has_elements(*one.sized.type) && has_unknown_size(*one.sized.type->element);
  for (const c_type* row = has_rows ? one.sized.type->element.get() : nullptr; row && row->is == type_form::array;
       row = row->element.get())
    rows.push_back(row->count ? std::to_string(*row->count) : row->extent);
  if (has_rows) rows_[one.of] = rows;
  const c_type& type = one.of->type;
  if (one.way != argument_way::value || type.is == type_form::pointer) return add_address(one, index);
  if (type.is == type_form::array || (type.is == type_form::record && !may_be_parameter(type)))
    return add_bytes(one, index);
  add_value(one, index);
}

void device_region::add_value(const kernel_argument& one, std::size_t index) {
  const c_type& type = one.of->type;
  const std::string name = identifier(*one.of);
  const device_parameter parameter{device_parameter::form::value, index, std::nullopt, type.bytes};
  if (type.is != type_form::boolean) return add_parameter(declaration_of(*one.of), parameter);
  add_parameter("uchar stretto_value_" + name, parameter);
  start_ += fmt::format("  bool {0} = stretto_value_{0};\n", name);
}

void device_region::add_bytes(const kernel_argument& one, std::size_t index) {
  const c_type& type = one.of->type;
  const std::string name = identifier(*one.of);
  add_parameter(fmt::format("{}const uchar *stretto_bytes_{}", parts_.dialect.qualifier(pointer_space::global), name),
                {device_parameter::form::bytes, index, std::nullopt, type.bytes});
  start_ += fmt::format(
      "  {0};\n  for (ulong stretto_i = 0; stretto_i < {2}; ++stretto_i) ((uchar *)&{1})[stretto_i] = "
      "stretto_bytes_{1}[stretto_i];\n",
      declaration_of(*one.of), name, type.bytes);
}

void device_region::add_address(const kernel_argument& one, std::size_t index) {
  const c_type& type = *one.sized.type;
  const std::string name = identifier(*one.of);
  const std::string global = parts_.dialect.qualifier(pointer_space::global);
  add_parameter(fmt::format("{0}char *stretto_base_{1}, ulong stretto_offset_{1}", global, name),
                {device_parameter::form::address, index, std::nullopt, 0});
  const c_type& object = has_elements(type) ? *type.element : type;
  if (object.is == type_form::record) parts_.types.require_whole(object);
  if (innermost_element(object).is == type_form::record) parts_.types.require_whole(innermost_element(object));
  const c_type pointer{.is = type_form::pointer, .bytes = 8, .element = std::make_shared<const c_type>(object)};
  const bool has_own = one.way == argument_way::reference || one.copied;
  const std::string variable = (has_own ? "stretto_of_" : "") + name;
  start_ += fmt::format("  {} = ({})(stretto_base_{} + stretto_offset_{});\n",
                        parts_.types.declaration(pointer, variable), parts_.types.declaration(pointer, ""), name, name);
}

/// The gang's own copy of a part behind a pointer.
std::string device_region::copied_text(const kernel_argument& one) const {
  const std::string name = identifier(*one.of);
  if (one.copied->element.is == type_form::array)
    throw inexpressible_code{fmt::format("each gang has a copy of rows behind \"{}\"", one.of->name)};
  return own_text(*one.copied, *one.of, 1) +
         fmt::format(
             "  for (long stretto_i = 0; stretto_i < {}; ++stretto_i) {}[stretto_i] = stretto_of_{}[{} + "
             "stretto_i];\n",
             one.copied->length, own_name(*one.copied, name), name, first_name(*one.copied, name));
}

std::string device_region::private_text(const private_variable& one, unsigned depth) const {
  if (one.part) return own_text(*one.part, *one.of, depth);
  return fmt::format("{}{};\n", spaces_for(depth), declaration_of(*one.of));
}

std::string device_region::own_text(const own_part& part, const declaration& of, unsigned depth) const {
  const std::string name = identifier(of), own = own_name(part, name), first = first_name(part, name);
  const std::string in = spaces_for(depth);
  if (!is_number(part.length))
    throw inexpressible_code{fmt::format("the private array \"{}\" has no constant size", of.name)};
  check_private_size(part.element.bytes * std::strtoull(part.length.c_str(), nullptr, 10), of.name);
  std::string text;
  if (!is_number(part.first)) text += fmt::format("{}const long {} = {};\n", in, first, part.first);
  text += fmt::format("{}{};\n", in, parts_.types.declaration(part.element, fmt::format("{}[{}]", own, part.length)));
  return text;
}

std::string device_region::identity(const c_type& type, reduction_operator operation) const {
  const bool is_extreme = operation == reduction_operator::min || operation == reduction_operator::max;
  if (!is_extreme) return identity_text(type, operation);
  const bool is_greatest = operation == reduction_operator::min;
  if (type.is == type_form::floating) return is_greatest ? "stretto_acc_infinity()" : "-stretto_acc_infinity()";
  if (type.is == type_form::boolean) return is_greatest ? "1" : "0";
  if (!type.is_signed) return is_greatest ? fmt::format("({})-1", parts_.types.number(type)) : "0";
  const std::string greatest = fmt::format("{}L", (std::uint64_t{1} << (8 * type.bytes - 1)) - 1);
  return is_greatest ? greatest : fmt::format("-{} - 1", greatest);
}

std::string device_region::reduction_start(const reduced_variable& one, unsigned depth) const {
  const c_type& type = one.of->type;
  spaces_.enter(one.of, one.part.has_value(), one.part);
  if (!one.part)
    return fmt::format("{}{} = {};\n", spaces_for(depth), declaration_of(*one.of), identity(type, one.operation));
  return own_text(*one.part, *one.of, depth) +
         fmt::format("{}for (long stretto_i = 0; stretto_i < {}; ++stretto_i) {}[stretto_i] = {};\n", spaces_for(depth),
                     one.part->length, own_name(*one.part, identifier(*one.of)),
                     identity(*type.element, one.operation));
}

/// Each gang combines its part into the result alone.
std::string device_region::reduction_end(const reduced_variable& one, unsigned depth) const {
  spaces_.leave();
  const std::string name = identifier(*one.of), result = "stretto_of_" + name;
  const auto change = [&](const std::string& from) {
    return "stretto_next = stretto_was; " + combination_text("stretto_next", from, one.operation);
  };
  if (!one.part) return swap_loop(one.of->type, result, change(name), depth);
  return fmt::format("{}for (long stretto_i = 0; stretto_i < {}; ++stretto_i)\n", spaces_for(depth), one.part->length) +
         swap_loop(*one.of->type.element, fmt::format("{} + {} + stretto_i", result, first_name(*one.part, name)),
                   change(own_name(*one.part, name) + "[stretto_i]"), depth + 1);
}

std::optional<std::string> device_region::replacement(const statement& s, unsigned depth) const {
  if (const auto found = plan_.loops.find(&s); found != plan_.loops.end())
    return found->second.is_divided ? divided_text(s, found->second, depth) : undivided_text(s, found->second, depth);
  return device_printer::replacement(s, depth);
}

/// The iterations of nested loops as one range: gang k runs iterations k, k + gangs, ...
std::string device_region::divided_text(const statement& loop, const loop_plan& plan, unsigned depth) const {
  const auto shapes = nested_shapes(loop, plan.collapsed);
  divided_loops loops;
  for (const loop_shape& one : shapes)
    loops.push_back({declaration_of(*one.variable), identifier(*one.variable), operand(one.first, 12), step_text(one),
                     trips_text(one), one.goes_down, plan.sets_variables && is_reference(one.variable)});
  std::string text = spaces_for(depth) + "{\n" + line_mark(loop) + counts_text(loops, depth + 1);
  for (const reduced_variable& one : plan.reductions) text += reduction_start(one, depth + 1);
  text += strided_text(loops, [&](unsigned inside) { return iteration_of(shapes, plan, inside); }, depth + 1);
  for (auto one = plan.reductions.rbegin(); one != plan.reductions.rend(); ++one)
    text += reduction_end(*one, depth + 1);
  return text + values_behind_text(loops, depth + 1) + spaces_for(depth) + "}\n";
}

bool device_region::is_reference(const declaration* of) const {
  const auto found = std::ranges::find(plan_.arguments, of, &kernel_argument::of);
  return found != plan_.arguments.end() && found->way == argument_way::reference;
}

std::string device_region::iteration_of(const std::vector<loop_shape>& shapes, const loop_plan& plan,
                                        unsigned depth) const {
  std::string text;
  std::size_t copies = shapes.size() + plan.last_values.size();
  for (const private_variable& one : plan.privates) {
    if (is_variable_of(shapes, one.of)) continue;
    text += private_text(one, depth);
    spaces_.enter(one.of, has_own_elements(one), one.part);
    ++copies;
  }
  for (const loop_shape& one : shapes) spaces_.enter(one.variable, false);
  for (const declaration* const one : plan.last_values) {
    text += fmt::format("{}{};\n", spaces_for(depth), declaration_of(*one));
    spaces_.enter(one, false);
  }
  const std::string body = print(*shapes.back().body, depth);
  spaces_.leave(copies);
  if (plan.last_values.empty()) return text + body;
  // A body may end by continue.
  text += spaces_for(depth) + "do {\n" + body + spaces_for(depth) + "} while (0);\n";
  text += spaces_for(depth) + "if (stretto_k + 1 == stretto_count) {\n";
  for (const declaration* const one : plan.last_values)
    text += fmt::format("{0}*stretto_of_{1} = {1};\n", spaces_for(depth + 1), identifier(*one));
  return text + spaces_for(depth) + "}\n";
}

std::string device_region::trips_text(const loop_shape& shape) const {
  const bool is_pointer = shape.variable->type.is == type_form::pointer;
  const auto number = [&](const expression& e) {
    return (is_pointer ? "" : "(long)") + operand(e, precedence_of_unary);
  };
  const expression& from = shape.goes_down ? shape.last : shape.first;
  const expression& to = shape.goes_down ? shape.first : shape.last;
  return fmt::format("stretto_acc_trips({} - {}{}, {})", number(to), number(from), shape.is_last_included ? " + 1" : "",
                     step_text(shape));
}

std::string device_region::step_text(const loop_shape& shape) const {
  return shape.step.is == expression_form::none ? "1" : operand(shape.step, precedence_of_assignment);
}

/// A loop that each gang runs whole, with variables of its own.
std::string device_region::undivided_text(const statement& loop, const loop_plan& plan, unsigned depth) const {
  const auto shapes = nested_shapes(loop, plan.collapsed);
  std::string text = spaces_for(depth) + "{\n";
  for (const loop_shape& one : shapes)
    if (is_declared_outside(one, loop))
      text += fmt::format("{}{};\n", spaces_for(depth + 1), declaration_of(*one.variable));
  std::size_t copies = 0;
  for (const private_variable& one : plan.privates) {
    if (is_variable_of(shapes, one.of)) continue;
    text += private_text(one, depth + 1);
    spaces_.enter(one.of, has_own_elements(one), one.part);
    ++copies;
  }
  text += device_printer::replacement(loop, depth + 1).value_or(line_mark(loop) + plain_text(loop, depth + 1));
  spaces_.leave(copies);
  return text + spaces_for(depth) + "}\n";
}

}  // namespace stretto::cc::acc
