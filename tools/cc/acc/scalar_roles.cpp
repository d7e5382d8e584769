#include "cc/acc/scalar_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cc/acc/reduction_statement.hpp"
#include "cc/acc/variable_uses.hpp"
#include "cc/acc/written_variables.hpp"

namespace stretto::cc::acc {
namespace {

/// The way of one variable through an iteration.
class assignment_finder {
 public:
  explicit assignment_finder(const declaration* of) : of_(of) {}

  void run(const statement& body) {
    visit(body);
    if (!is_dead_) is_set_at_end_ &= is_set_;
  }
  bool is_read_first() const noexcept { return is_read_first_; }
  bool is_set_at_end() const noexcept { return is_set_at_end_; }

 private:
  struct state {
    bool is_set, is_dead;
  };
  state now() const { return {is_set_, is_dead_}; }
  void enter(state s) { is_set_ = s.is_set, is_dead_ = s.is_dead; }
  void join(state other) {
    is_set_ = (is_set_ || is_dead_) && (other.is_set || other.is_dead);
    is_dead_ = is_dead_ && other.is_dead;
  }

  void visit(const statement& s) {
    for (const local_variable& one : s.variables) {
      for (const expression& extent : one.extents) visit(extent);
      visit(one.initial);
    }
    switch (s.is) {
      case statement_form::if_: return visit_if(s);
      case statement_form::for_:
        visit(s.parts[0]);
        visit(s.values[0]);
        return visit_loop(s.parts[1], &s.values[1]);
      case statement_form::while_: visit(s.values[0]); return visit_loop(s.parts[0], nullptr);
      case statement_form::do_: return visit_loop(s.parts[0], &s.values[0]);
      case statement_form::switch_: visit(s.values[0]); return visit_loop(s.parts[0], nullptr);
      case statement_form::continue_:
        if (loops_ == 0 && !is_dead_) is_set_at_end_ &= is_set_;
        is_dead_ = true;
        return;
      case statement_form::break_: is_dead_ = true; return;
      default: break;
    }
    for (const expression& e : s.values) visit(e);
    for (const statement& part : s.parts) visit(part);
  }

  void visit_if(const statement& s) {
    visit(s.values[0]);
    const state before = now();
    visit(s.parts[0]);
    const state after = now();
    enter(before);
    if (s.parts.size() > 1) visit(s.parts[1]);
    join(after);
  }

  /// Code that may not run, or only from one of its statements on. `behind` is run after it.
  void visit_loop(const statement& body, const expression* behind) {
    const state before = now();
    loops_ += 1;
    visit(body);
    loops_ -= 1;
    enter(before);
    if (behind) visit(*behind);
    enter(before);
  }

  void visit(const expression& e) {
    if (e.is == expression_form::size_of) return;
    if (e.is == expression_form::name) {
      if (e.of == of_ && !is_set_ && !is_dead_) is_read_first_ = true;
      return;
    }
    const bool is_plain = e.is == expression_form::binary && e.spelling == "=" &&
                          e.parts[0].is == expression_form::name && e.parts[0].of == of_;
    if (is_plain) {
      visit(e.parts[1]);
      is_set_ = true;
      return;
    }
    const bool has_condition = e.is == expression_form::conditional ||
                               (e.is == expression_form::binary && (e.spelling == "&&" || e.spelling == "||"));
    for (std::size_t i = 0; i < e.parts.size(); ++i) {
      const state before = now();
      visit(e.parts[i]);
      if (has_condition && i > 0) enter(before);
    }
  }

  const declaration* const of_;
  bool is_set_ = false, is_dead_ = false, is_read_first_ = false, is_set_at_end_ = true;
  int loops_ = 0;  // and switches around the place
};

std::string obstacle_of(const declaration& of, const assignment_finder& ways) {
  if (ways.is_read_first()) return fmt::format("the value of \"{}\" goes from one iteration to the next", of.name);
  return fmt::format("not every iteration sets \"{}\", which has a value behind the loop", of.name);
}

scalar_role role_of(const variable_use& use, const statement& body) {
  scalar_role role{use.of};
  if (use.is_address || !use.of->type.is_number()) {
    role.obstacle =
        fmt::format("the variable \"{}\", which is no number or whose address it takes, is changed", use.of->name);
    return role;
  }
  assignment_finder ways(use.of);
  ways.run(body);
  if (!ways.is_read_first() && ways.is_set_at_end()) return role;
  role.reduction = reduction_in(body, use.of);
  if (!role.reduction) role.obstacle = obstacle_of(*use.of, ways);
  return role;
}

}  // namespace

std::vector<scalar_role> scalar_roles(const statement& body) {
  std::vector<scalar_role> all;
  for (const variable_use& one : outer_variables(body))
    if ((one.is_written || one.is_address) && one.of->type.is != type_form::array) all.push_back(role_of(one, body));
  return all;
}

}  // namespace stretto::cc::acc
