#include "cc/acc/memory_accesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "cc/acc/c_types.hpp"
#include "cc/acc/code_printer.hpp"
#include "cc/acc/jumps.hpp"
#include "cc/acc/library_functions.hpp"
#include "cc/acc/loop_shape.hpp"
#include "cc/acc/written_variables.hpp"

namespace stretto::cc::acc {
namespace {

/// A place in an array: its rows, and the element where the address points to.
struct element_address {
  const declaration* base;
  std::vector<std::optional<index_form>> rows;
  std::optional<index_form> offset;
};

bool is_pointer_to_number(const c_type& type) { return type.is == type_form::pointer && type.element->is_number(); }

class access_reader {
 public:
  explicit access_reader(const statement& loop) : writes_(writes_in(loop)) { declare(loop); }

  loop_accesses read(const statement& loop) {
    visit(loop);
    return std::move(result_);
  }

 private:
  void declare(const statement& s) {
    for (const local_variable& one : s.variables) declared_.insert(one.of);
    for (const statement& part : s.parts) declare(part);
  }

  void refuse(std::string why) {
    if (result_.obstacle.empty()) result_.obstacle = std::move(why);
  }

  // Statements.

  void visit(const statement& s) {
    for (const local_variable& one : s.variables) visit_declared(one);
    if (s.is == statement_form::for_) return visit_for(s);
    if (s.is == statement_form::return_) refuse("it returns");
    if (is_jump(s)) refuse("it has goto or a label");
    if (s.is == statement_form::break_ && breakable_ == 0) refuse("it leaves the loop");
    for (const expression& one : s.values) visit(one, false);
    const bool takes_breaks =
        s.is == statement_form::while_ || s.is == statement_form::do_ || s.is == statement_form::switch_;
    breakable_ += takes_breaks ? 1 : 0;
    for (const statement& part : s.parts) visit(part);
    breakable_ -= takes_breaks ? 1 : 0;
  }

  void visit_declared(const local_variable& one) {
    if (one.is_static) refuse(fmt::format("it has the static variable \"{}\"", one.of->name));
    if (one.initial.is == expression_form::none) return;
    const bool is_fixed = !writes_.contains(one.of);
    const bool is_pointer = is_pointer_to_number(one.of->type);
    const auto address = is_fixed && is_pointer ? address_of(one.initial) : std::nullopt;
    if (address) {
      addresses_[one.of] = *address;
      return visit_indices(one.initial);
    }
    visit(one.initial, false);
    if (!is_fixed || one.of->type.is != type_form::integer) return;
    if (auto form = form_of_index(one.initial)) forms_[one.of] = std::move(*form);
  }

  void visit_for(const statement& s) {
    const bool is_whole = loops_.empty();
    visit(s.parts[0]);
    const auto shape = loop_shape_of(s);
    const bool is_steady = shape && !writes_in(*shape->body).contains(shape->variable);
    if (is_steady) loops_.push_back(range_of(*shape));
    for (const expression& one : s.values) visit(one, false);
    breakable_ += is_whole ? 0 : 1;
    visit(s.parts[1]);
    breakable_ -= is_whole ? 0 : 1;
    if (is_steady) loops_.pop_back();
  }

  loop_range range_of(const loop_shape& shape) {
    auto first = form_of_index(shape.first), last = form_of_index(shape.last);
    const std::int64_t beyond = shape.is_last_included ? 0 : shape.goes_down ? 1 : -1;
    if (last) last = sum(*last, index_form(1), beyond);
    if (shape.goes_down) std::swap(first, last);
    return {shape.variable, std::move(first), std::move(last)};
  }

  // Indices.

  std::optional<index_form> form_of_index(const expression& e) {
    return form_of(e, [this](const declaration& of) { return form_of_name(of); });
  }

  std::optional<index_form> form_of_name(const declaration& of) const {
    if (std::ranges::find(loops_, &of, &loop_range::variable) != loops_.end()) return index_form(&of);
    if (const auto found = forms_.find(&of); found != forms_.end()) return found->second;
    if (declared_.contains(&of) || writes_.contains(&of)) return std::nullopt;
    return index_form(&of);
  }

  std::optional<element_address> address_of(const expression& e) {
    if (e.is == expression_form::name && e.of && has_elements(e.of->type)) {
      if (const auto found = addresses_.find(e.of); found != addresses_.end()) return found->second;
      const bool is_known = e.of->type.is == type_form::array || !(writes_.contains(e.of) || declared_.contains(e.of));
      return is_known ? std::optional(element_address{e.of, {}, index_form()}) : std::nullopt;
    }
    if (e.is == expression_form::binary && (e.spelling == "+" || e.spelling == "-")) {
      auto left = address_of(e.parts[0]);
      if (!left) return std::nullopt;
      const auto more = form_of_index(e.parts[1]);
      left->offset = left->offset && more ? sum(*left->offset, *more, e.spelling == "+" ? 1 : -1) : std::nullopt;
      return left;
    }
    if (e.is == expression_form::unary && e.spelling == "&") {
      auto object = object_of(e.parts[0]);
      if (!object || object->rows.empty() || e.parts[0].is == expression_form::member) return std::nullopt;
      object->offset = std::move(object->rows.back());
      object->rows.pop_back();
      return object;
    }
    if (e.type && e.type->is == type_form::array) {
      auto row = object_of(e);
      if (row) row->offset = index_form();
      return row;
    }
    return std::nullopt;
  }

  /// The rows lead to the object itself.
  std::optional<element_address> object_of(const expression& e) {
    const bool is_behind = (e.is == expression_form::unary && e.spelling == "*") || e.is == expression_form::arrow;
    if (e.is == expression_form::member) return object_of(e.parts[0]);
    if (e.is != expression_form::element && !is_behind) return std::nullopt;
    auto address = address_of(e.parts[0]);
    if (!address) return std::nullopt;
    if (e.is == expression_form::element) {
      const auto index = form_of_index(e.parts[1]);
      address->offset = address->offset && index ? sum(*address->offset, *index) : std::nullopt;
    }
    address->rows.push_back(std::move(address->offset));
    address->offset.reset();
    return address;
  }

  // Expressions.

  void visit(const expression& e, bool is_written) {
    switch (e.is) {
      case expression_form::size_of: return;
      case expression_form::name: return visit_name(e);
      case expression_form::call: return visit_call(e);
      case expression_form::member:
      case expression_form::arrow:
      case expression_form::element: return visit_object(e, is_written);
      case expression_form::unary:
        if (e.spelling == "*") return visit_object(e, is_written);
        return visit(e.parts[0], e.spelling == "++" || e.spelling == "--" || e.spelling == "&");
      case expression_form::postfix: return visit(e.parts[0], true);
      case expression_form::binary: visit(e.parts[0], is_assignment(e)); return visit(e.parts[1], false);
      default:
        for (const expression& part : e.parts) visit(part, false);
    }
  }

  /// An array that is no part of an access to an element: all of it may be used.
  void visit_name(const expression& e) {
    if (!e.of || declared_.contains(e.of) || e.of->type.is != type_form::array) return;
    add(e, {e.of, {}, {}}, true);
  }

  void visit_call(const expression& e) {
    const expression& function = e.parts[0];
    std::vector<argument_text> arguments;
    for (const expression& one : std::span(e.parts).subspan(1)) {
      visit(one, false);
      arguments.push_back({"x", one.type});
      const bool is_pointer = one.type && has_elements(*one.type);
      if (is_pointer) refuse(fmt::format("it calls \"{}\" with a pointer", text_of(function)));
    }
    static const device_dialect library(device_language::opencl);
    const bool is_known =
        function.is == expression_form::name && library_call(library, library_name(function), arguments).has_value();
    if (!is_known) refuse(fmt::format("it calls \"{}\"", text_of(function)));
  }

  void visit_object(const expression& e, bool is_written) {
    if (is_own(e)) return visit_indices(e);
    const bool is_array = e.type && e.type->is == type_form::array;
    const auto object = object_of(e);
    const bool is_member_of_variable = !object && e.is == expression_form::member;
    if (is_member_of_variable && root_of(e).is == expression_form::name) return visit_member(e, is_written);
    if (!is_array) add(e, object ? *object : element_address{nullptr, {}, {}}, is_written);
    else add(e, object ? element_address{object->base, {}, {}} : element_address{nullptr, {}, {}}, true);
    visit_indices(e);
  }

  /// A member of a variable: any of them.
  void visit_member(const expression& e, bool is_written) {
    const expression& variable = root_of(e);
    if (is_written && !declared_.contains(variable.of)) add(e, {variable.of, {}, {}}, true);
  }

  /// Whether an object lies in a variable of one iteration.
  bool is_own(const expression& e) const {
    const expression& root = root_of(e);
    return root.is == expression_form::name && declared_.contains(root.of) && root.of->type.is != type_form::pointer;
  }

  /// The variable that holds the object, or where the path begins behind a pointer.
  static const expression& root_of(const expression& e) {
    const bool is_inside = e.is == expression_form::member || (e.is == expression_form::element && e.parts[0].type &&
                                                               e.parts[0].type->is == type_form::array);
    return is_inside ? root_of(e.parts[0]) : e;
  }

  /// The expressions in an access, without the arrays that it goes through.
  void visit_indices(const expression& e) {
    switch (e.is) {
      case expression_form::name: return;
      case expression_form::element: visit_base(e.parts[0]); return visit(e.parts[1], false);
      case expression_form::member:
      case expression_form::arrow:
      case expression_form::unary: return visit_base(e.parts[0]);
      case expression_form::binary: visit_base(e.parts[0]); return visit(e.parts[1], false);
      default: return visit(e, false);
    }
  }

  /// A pointer that is loaded from memory is read itself.
  void visit_base(const expression& e) {
    const bool is_loaded = e.type && e.type->is == type_form::pointer &&
                           (e.is == expression_form::element || e.is == expression_form::member ||
                            e.is == expression_form::arrow || (e.is == expression_form::unary && e.spelling == "*"));
    is_loaded ? visit(e, false) : visit_indices(e);
  }

  void add(const expression& e, element_address object, bool is_written) {
    result_.all.push_back({object.base, std::move(object.rows), is_written, loops_, e.type, text_of(e)});
  }

  const written_variables writes_;
  std::set<const declaration*> declared_;                    // inside of the loop
  loop_ranges loops_;                                        // around the place that is visited
  std::map<const declaration*, index_form> forms_;           // of variables that are set once
  std::map<const declaration*, element_address> addresses_;  // of pointers that are set once
  int breakable_ = 0;
  loop_accesses result_;
};

}  // namespace

loop_accesses accesses_of(const statement& loop) { return access_reader(loop).read(loop); }

}  // namespace stretto::cc::acc
