#include "cc/acc/variable_uses.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "cc/acc/operator_precedence.hpp"

namespace stretto::cc::acc {
namespace {

bool is_variable(const expression& e) {
  return e.is == expression_form::name && e.of && e.of->is != declaration::place::function &&
         e.of->is != declaration::place::constant;
}

bool is_array(const expression& e) { return e.type && e.type->is == type_form::array; }

/// How an expression is used by the one around it.
struct context {
  bool reads = true, writes = false, accesses = false, takes_address = false;
};

class use_finder {
 public:
  explicit use_finder(const statement& region) { find_declared(region); }

  void visit(const statement& s) {
    for (const local_variable& one : s.variables) {
      for (const expression& extent : one.extents) visit(extent, {});
      visit(one.initial, {});
    }
    // The parts of a for stand ahead of its condition.
    for (const expression& value : s.values) visit(value, {});
    for (const statement& part : s.parts) visit(part);
  }

  std::vector<variable_use> uses;

 private:
  void find_declared(const statement& s) {
    for (const local_variable& one : s.variables) declared_.insert(one.of);
    for (const statement& part : s.parts) find_declared(part);
  }

  void visit(const expression& e, context how) {
    switch (e.is) {
      case expression_form::name: return add(e, how);
      case expression_form::element: return visit_element(e, how);
      case expression_form::arrow: return visit(e.parts[0], {.accesses = true});
      case expression_form::member: return visit(e.parts[0], how);
      case expression_form::unary: return visit_unary(e, how);
      case expression_form::postfix: return visit(e.parts[0], {.writes = true});
      case expression_form::binary:
        if (precedence_of(e.spelling) == precedence_of_assignment) {
          visit(e.parts[0], {.reads = e.spelling != "=", .writes = true});
          return visit(e.parts[1], {});
        }
        break;
      case expression_form::size_of: return visit_unevaluated(e);
      default: break;
    }
    for (const expression& part : e.parts) visit(part, {});
  }

  void visit_element(const expression& e, context how) {
    // An element of an array is a part of the variable; one behind a pointer is not.
    if (is_array(e.parts[0])) visit(e.parts[0], {.reads = false, .writes = how.writes, .accesses = true});
    else visit(e.parts[0], {.accesses = true});
    visit(e.parts[1], {});
  }

  /// The operand of sizeof needs its variables, for the sizes of rows, but not their values.
  void visit_unevaluated(const expression& e) {
    const bool before = std::exchange(is_evaluated_, false);
    for (const expression& part : e.parts) visit(part, {});
    is_evaluated_ = before;
  }

  void visit_unary(const expression& e, context how) {
    if (e.spelling == "*") return visit(e.parts[0], {.accesses = true});
    if (e.spelling == "&") return visit(e.parts[0], {.reads = false, .takes_address = true});
    if (e.spelling == "++" || e.spelling == "--") return visit(e.parts[0], {.writes = true});
    visit(e.parts[0], {.reads = how.reads});
  }

  void add(const expression& e, context how) {
    if (!is_variable(e) || declared_.contains(e.of)) return;
    auto found = std::ranges::find(uses, e.of, &variable_use::of);
    if (found == uses.end()) found = uses.insert(uses.end(), {.of = e.of, .offset = e.offset});
    if (!is_evaluated_) return;
    found->is_read |= how.reads;
    found->is_written |= how.writes;
    found->is_accessed |= how.accesses || is_array(e);
    found->is_address |= how.takes_address;
  }

  std::set<const declaration*> declared_;
  bool is_evaluated_ = true;
};

}  // namespace

std::vector<variable_use> outer_variables(const statement& region) {
  use_finder finder(region);
  finder.visit(region);
  return std::move(finder.uses);
}

}  // namespace stretto::cc::acc
