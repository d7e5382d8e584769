// pointer_spaces.hpp - in which memory the pointers of a region or a function point: OpenCL C 1.2 has a type for each.
//
// Threads     one at a time uses an object.
// Cost        linear in the code, times the length of the longest chain of assignments between pointers.
// Invariants  all pointers that lie in memory, in records or arrays, point to global memory.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cc/acc/called_functions.hpp"
#include "cc/acc/device_dialect.hpp"
#include "cc/acc/region_plan.hpp"

namespace stretto::cc::acc {

class pointer_spaces {
 public:
  /// Of a region with a plan, or of a function with an empty one.
  pointer_spaces(const region_plan& plan, const called_functions& functions, const device_dialect& dialect);

  /// Of a parameter.
  void set(const declaration* of, pointer_space space) { variables_[of] = space; }
  /// Finds the spaces of all variables in the code. Throws inexpressible_code if one points to two memories and the
  /// language has no such pointers.
  void infer(const statement& code);

  /// Where a pointer, or an array, has its elements. Throws inexpressible_code if that is one of two memories.
  pointer_space of(const expression& e) const;
  /// Throws inexpressible_code unless two pointers may be compared.
  void check_same(const expression& one, const expression& other) const { common(of(one), of(other)); }
  /// Where an object lies.
  pointer_space place_of(const expression& object) const;
  /// Of a pointer variable.
  pointer_space of_variable(const declaration& variable) const;
  /// Of the pointers that the function returns.
  pointer_space result() const noexcept { return result_; }

  /// From here to the call of leave, a variable is a copy of the gang; `has_elements`: an array of its own.
  void enter(const declaration* of, bool has_elements, const own_part* part = nullptr) {
    copies_.push_back({of, has_elements, part});
  }
  void enter(const declaration* of, bool has_elements, const std::optional<own_part>& part) {
    enter(of, has_elements, part ? &*part : nullptr);
  }
  void leave(std::size_t copies = 1) { copies_.resize(copies_.size() - copies); }
  bool is_copy(const declaration* of) const;
  /// Of the name of an array: the gang's own part of it; null if that begins at 0.
  const own_part* shifted_part(const expression& e) const;

 private:
  struct gang_copy {
    const declaration* of;
    bool has_elements;
    const own_part* part;
  };
  void visit(const statement& s);
  void visit(const expression& e);
  void visit_parts(const statement& s);
  void assign(const declaration& to, pointer_space space);
  std::size_t enter_loop(const statement& loop);
  pointer_space common(pointer_space one, pointer_space other) const;
  pointer_space of_name(const expression& e) const;
  pointer_space of_binary(const expression& e) const;
  pointer_space of_cast(const expression& e) const;
  pointer_space of_call(const expression& e) const;
  const kernel_argument* argument(const declaration* of) const;

  const region_plan& plan_;
  const called_functions& functions_;
  const device_dialect dialect_;
  std::map<const declaration*, pointer_space> variables_;
  std::vector<gang_copy> copies_;
  pointer_space result_ = pointer_space::unknown;
  bool has_changed_ = false;
  bool is_final_ = false;
};

/// Those of a function whose pointer parameters, in their order, have these spaces. Throws inexpressible_code if it
/// calls itself, or returns pointers to two memories.
pointer_spaces spaces_of_call(const function_definition& function, const std::vector<pointer_space>& given,
                              const called_functions& functions, const device_dialect& dialect);

/// Whether a private variable has elements of its own, if it is a pointer by the part that the clause names.
bool has_own_elements(const private_variable& one);
bool is_pointer_type(const type_ref& type);
/// 0, and 0 as a pointer.
bool is_null_pointer(const expression& e);

}  // namespace stretto::cc::acc
