// device_printer.hpp - code of regions and functions as text in the language of a device.
//
// Threads     one at a time uses an object.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cc/acc/atomic_operation.hpp"
#include "cc/acc/code_printer.hpp"
#include "cc/acc/device_types.hpp"
#include "cc/acc/library_functions.hpp"
#include "cc/acc/pointer_spaces.hpp"
#include "cc/acc/row_extents.hpp"

namespace stretto::cc::acc {

/// The parts of a text that stand ahead of its kernel.
struct device_text_parts {
  device_text_parts(device_language language, const preprocessed_text& program, const called_functions& called)
      : dialect(language), types(dialect), source(program), functions(called) {}

  const device_dialect dialect;
  device_types types;
  const preprocessed_text& source;
  const called_functions& functions;
  struct atomic_type {
    std::string text;
    std::size_t bytes;
  };
  std::map<std::string, atomic_type> atomics;  // of objects that are changed atomically, by their names
  std::vector<std::string> function_texts;     // callees first
  std::map<std::pair<const function_definition*, std::vector<pointer_space>>, std::string> function_names;
  std::set<std::string> taken_names;                // of functions
  std::vector<const function_definition*> started;  // whose text is not complete
};

/// Elements behind a variable whose rows have sizes that are no constants: `base` points to single elements.
struct row_address {
  std::string base;
  std::string offset;             // in elements; empty: 0
  std::vector<std::string> rows;  // extents of what one step goes over
};

/// All members throw inexpressible_code.
class device_printer : public code_printer {
 public:
  /// Prints code under a plan, or a function under an empty one. `spaces` knows the variables of the code.
  device_printer(device_text_parts& parts, const region_plan& plan, pointer_spaces spaces)
      : parts_(parts), plan_(plan), spaces_(std::move(spaces)) {}

  /// The definition of a function.
  std::string function_text(const function_definition& function, const std::string& name);

 protected:
  std::string name_text(const expression& e) const override;
  std::optional<std::string> other_form(const expression& e) const override;
  std::string variable_text(const local_variable& one) const override;
  std::optional<std::string> replacement(const statement& s, unsigned depth) const override;
  std::string line_mark(const statement& s) const override;

  std::string identifier(const declaration& of) const { return parts_.dialect.identifier(of.name); }
  /// A variable of the gang, with the space that it points to.
  std::string declaration_of(const declaration& of) const;
  std::string declaration_of(const declaration& of, const c_type& type) const;
  /// Throws if a gang cannot have so much memory of its own.
  static void check_private_size(std::size_t bytes, const std::string& name);
  /// The value as one of another type, where C converts pointers and C++ does not.
  std::string converted(const expression& e, const c_type& to) const;
  /// Changes an object in global memory: `change` is a statement that makes stretto_next of stretto_was.
  std::string swap_loop(const c_type& type, const std::string& pointer, const std::string& change, unsigned depth,
                        const std::string& after = "") const;

  device_text_parts& parts_;
  const region_plan& plan_;
  mutable pointer_spaces spaces_;
  std::map<const declaration*, std::vector<std::string>> rows_;  // extents behind the first, if one is no constant

 private:
  void check_type(const expression& e) const;
  std::string constant_text(const expression& e) const;
  std::optional<std::string> literal_text(const expression& e) const;
  std::string cast_text(const expression& e) const;
  std::string size_text(const expression& e) const;
  std::optional<std::string> element_text(const expression& e) const;
  std::string member_text(const expression& e) const;
  std::optional<std::string> assignment_text(const expression& e) const;
  std::optional<std::string> row_text(const expression& e) const;
  std::optional<row_address> rows_of(const expression& e) const;
  std::optional<row_address> rows_behind(const expression& pointer, const expression* index) const;
  std::string call_text(const expression& e) const;
  std::string function_call(const expression& e, const function_definition& function) const;
  std::string function_name(const function_definition& function, const std::vector<pointer_space>& given) const;
  std::string list_text(const expression& e, const c_type& type) const;
  std::string initial_text(const expression& e, const c_type& type) const;
  void check_stored(const expression& e) const;
  std::string atomic_text(const statement& s, unsigned depth) const;
  std::string one_function_text(const atomic_operation& of, const std::string& pointer, unsigned depth) const;
  std::string for_with_block(const statement& s, unsigned depth) const;
  std::string atomic_name(const c_type& type) const;
  std::string rows_text(const function_parameter& one);

  mutable const expression* replaced_ = nullptr;  // in the text of its new value: a target of an atomic operation
  mutable bool is_inside_atomic_ = false;
  const c_type* result_ = nullptr;  // of a function
};

/// Functions that read and swap objects of a type: stretto_load_double, stretto_swap_double.
std::string atomic_functions(const device_dialect& dialect, const std::string& type, const std::string& name,
                             std::size_t bytes);

}  // namespace stretto::cc::acc
