#include "cc/acc/pointer_spaces.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cc/acc/c_types.hpp"

namespace stretto::cc::acc {
namespace {

const region_plan no_plan{.directive = nullptr, .arguments = {}};

bool is_array_type(const type_ref& type) { return type && type->is == type_form::array; }

}  // namespace

bool has_own_elements(const private_variable& one) {
  return one.of->type.is == type_form::array || one.part.has_value();
}

bool is_pointer_type(const type_ref& type) { return type && type->is == type_form::pointer; }

bool is_null_pointer(const expression& e) {
  if (e.is == expression_form::cast && is_pointer_type(e.type)) return is_null_pointer(e.parts[0]);
  return e.is == expression_form::literal && e.spelling.find_first_not_of("0uUlL") == std::string::npos;
}

pointer_spaces::pointer_spaces(const region_plan& plan, const called_functions& functions,
                               const device_dialect& dialect)
    : plan_(plan), functions_(functions), dialect_(dialect) {
  for (const kernel_argument& one : plan.arguments) {
    if (one.of->type.is == type_form::pointer) variables_[one.of] = pointer_space::global;
    if (one.copied) enter(one.of, true, one.copied);
  }
  for (const private_variable& one : plan.privates) enter(one.of, has_own_elements(one), one.part);
  for (const reduced_variable& one : plan.reductions) enter(one.of, one.part.has_value(), one.part);
}

const kernel_argument* pointer_spaces::argument(const declaration* of) const {
  const auto found = std::ranges::find(plan_.arguments, of, &kernel_argument::of);
  return found == plan_.arguments.end() ? nullptr : &*found;
}

bool pointer_spaces::is_copy(const declaration* of) const {
  return std::ranges::find(copies_, of, &gang_copy::of) != copies_.end();
}

const own_part* pointer_spaces::shifted_part(const expression& e) const {
  if (e.is != expression_form::name) return nullptr;
  const auto found = std::find_if(copies_.rbegin(), copies_.rend(), [&](const gang_copy& c) { return c.of == e.of; });
  return found == copies_.rend() || !found->part || found->part->begins_at_0() ? nullptr : found->part;
}

void pointer_spaces::infer(const statement& code) {
  do {
    has_changed_ = false;
    visit(code);
  } while (has_changed_);
  is_final_ = true;
}

std::size_t pointer_spaces::enter_loop(const statement& loop) {
  const auto found = plan_.loops.find(&loop);
  if (found == plan_.loops.end()) return 0;
  const std::size_t before = copies_.size();
  for (const private_variable& one : found->second.privates) enter(one.of, has_own_elements(one), one.part);
  for (const reduced_variable& one : found->second.reductions) enter(one.of, one.part.has_value(), one.part);
  return copies_.size() - before;
}

void pointer_spaces::visit(const statement& s) {
  const std::size_t copies = enter_loop(s);
  for (const local_variable& one : s.variables) {
    if (one.initial.is == expression_form::none) continue;
    visit(one.initial);
    if (one.of->type.is == type_form::pointer) assign(*one.of, of(one.initial));
  }
  for (const expression& e : s.values) visit(e);
  if (s.is == statement_form::return_ && is_pointer_type(decayed(s.values[0].type)))
    result_ = common(result_, of(s.values[0]));
  for (const statement& part : s.parts) visit(part);
  leave(copies);
}

void pointer_spaces::visit(const expression& e) {
  const bool is_assignment = e.is == expression_form::binary && e.spelling == "=";
  if (is_assignment && e.parts[0].is == expression_form::name && e.parts[0].of && is_pointer_type(e.parts[0].type))
    assign(*e.parts[0].of, of(e.parts[1]));
  // The pointer may be changed through its address.
  const bool is_address = e.is == expression_form::unary && e.spelling == "&";
  if (is_address && e.parts[0].is == expression_form::name && e.parts[0].of && is_pointer_type(e.parts[0].type))
    assign(*e.parts[0].of, pointer_space::global);
  for (const expression& part : e.parts) visit(part);
}

void pointer_spaces::assign(const declaration& to, pointer_space space) {
  if (space == pointer_space::unknown) return;
  pointer_space& known = variables_[&to];
  if (known == space || (!dialect_.is_opencl() && known == pointer_space::global)) return;
  if (known != pointer_space::unknown && dialect_.is_opencl())
    throw inexpressible_code{
        fmt::format("the pointer \"{}\" points to memory of one gang and to memory of all", to.name)};
  known = known == pointer_space::unknown ? space : pointer_space::global;
  has_changed_ = true;
}

pointer_space pointer_spaces::of_variable(const declaration& variable) const {
  const auto found = variables_.find(&variable);
  const pointer_space space = found == variables_.end() ? pointer_space::unknown : found->second;
  return space == pointer_space::unknown && is_final_ ? pointer_space::global : space;
}

pointer_space pointer_spaces::of(const expression& e) const {
  if (is_null_pointer(e)) return pointer_space::unknown;
  // A pointer that is loaded from memory points to global memory.
  const auto stored = [&](const expression& from) { return is_array_type(e.type) ? of(from) : pointer_space::global; };
  switch (e.is) {
    case expression_form::literal: return pointer_space::constant;
    case expression_form::name: return of_name(e);
    case expression_form::member: return is_array_type(e.type) ? place_of(e.parts[0]) : pointer_space::global;
    case expression_form::arrow:
    case expression_form::element: return stored(e.parts[0]);
    case expression_form::unary:
      if (e.spelling == "&") return place_of(e.parts[0]);
      return e.spelling == "*" ? stored(e.parts[0]) : of(e.parts[0]);
    case expression_form::postfix: return of(e.parts[0]);
    case expression_form::binary: return of_binary(e);
    case expression_form::conditional: return common(of(e.parts[1]), of(e.parts[2]));
    case expression_form::cast: return of_cast(e);
    case expression_form::call: return of_call(e);
    default: return pointer_space::global;
  }
}

/// Of a value that is one of two.
pointer_space pointer_spaces::common(pointer_space one, pointer_space other) const {
  if (one == other || other == pointer_space::unknown) return one;
  if (one == pointer_space::unknown) return other;
  if (dialect_.is_opencl())
    throw inexpressible_code{"it uses pointers to memory of one gang and to memory of all as one value"};
  return pointer_space::global;
}

pointer_space pointer_spaces::of_name(const expression& e) const {
  if (!e.of) return pointer_space::unknown;
  const auto copy = std::find_if(copies_.rbegin(), copies_.rend(), [&](const gang_copy& c) { return c.of == e.of; });
  if (copy != copies_.rend() && copy->has_elements) return pointer_space::own;
  if (e.of->type.is == type_form::pointer) return of_variable(*e.of);
  return place_of(e);
}

pointer_space pointer_spaces::of_binary(const expression& e) const {
  if (e.spelling == "=" || e.spelling == ",") return of(e.parts[1]);
  const type_ref left = decayed(e.parts[0].type);
  return is_pointer_type(left) ? of(e.parts[0]) : of(e.parts[1]);
}

/// Integers that become pointers hold addresses of the device.
pointer_space pointer_spaces::of_cast(const expression& e) const {
  if (e.parts[0].is == expression_form::list) return pointer_space::own;
  return is_pointer_type(decayed(e.parts[0].type)) ? of(e.parts[0]) : pointer_space::global;
}

pointer_space pointer_spaces::of_call(const expression& e) const {
  const function_definition* const function =
      e.parts[0].is == expression_form::name && e.parts[0].of ? functions_.find(*e.parts[0].of) : nullptr;
  if (!function) return pointer_space::global;
  std::vector<pointer_space> given;
  for (std::size_t i = 1; i < e.parts.size(); ++i)
    if (is_pointer_type(decayed(e.parts[i].type))) given.push_back(of(e.parts[i]));
  return spaces_of_call(*function, given, functions_, dialect_).result();
}

pointer_space pointer_spaces::place_of(const expression& object) const {
  switch (object.is) {
    case expression_form::name: {
      if (is_copy(object.of)) return pointer_space::own;
      const kernel_argument* const one = argument(object.of);
      return one && one->way != argument_way::value ? pointer_space::global : pointer_space::own;
    }
    case expression_form::member: return place_of(object.parts[0]);
    case expression_form::arrow: return of(object.parts[0]);
    case expression_form::element: return of(object.parts[0]);
    case expression_form::unary: return object.spelling == "*" ? of(object.parts[0]) : pointer_space::own;
    default: return pointer_space::own;
  }
}

pointer_spaces spaces_of_call(const function_definition& function, const std::vector<pointer_space>& given,
                              const called_functions& functions, const device_dialect& dialect) {
  static thread_local std::vector<const function_definition*> started;
  if (std::ranges::find(started, &function) != started.end())
    throw inexpressible_code{fmt::format("the function \"{}\" calls itself", function.of->name)};
  struct entry {
    explicit entry(const function_definition& of) { started.push_back(&of); }
    ~entry() { started.pop_back(); }
  } const one(function);
  pointer_spaces spaces(no_plan, functions, dialect);
  std::size_t next = 0;
  for (const function_parameter& parameter : function.parameters)
    if (parameter.of->type.is == type_form::pointer && next < given.size()) spaces.set(parameter.of, given[next++]);
  spaces.infer(function.body);
  return spaces;
}

}  // namespace stretto::cc::acc
