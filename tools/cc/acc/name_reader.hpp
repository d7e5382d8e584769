// name_reader.hpp - reads declarations, types and the uses of names out of libclang's tree.
//
// Threads     one at a time uses a reader.
#pragma once

#include <exception>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cc/acc/clang_library.hpp"
#include "cc/acc/source_names.hpp"

namespace stretto::cc::acc {

class name_reader {
 public:
  name_reader(const clang::library& lib, std::span<const text_range> parts, language language, source_names& into)
      : lib_(lib), parts_(parts), is_cxx_(language == language::cxx), into_(into) {}

  /// Reads what stands in the parts, and the variables of the whole file. Templates are left out.
  void read(clang::cursor top);
  /// Reads a function that a template is instantiated to, and the members of its class. `where` is the template.
  void read_instance(clang::cursor function, const text_range& where);
  /// Makes `this` and the members of a class visible in a part of the text.
  void add_method(clang::cursor of_class, const text_range& where);

  c_type type_of(clang::type given);
  /// As a program writes it.
  std::string spelling_of(clang::type of) const;

 private:
  static clang::visit_next visit(clang::cursor one, clang::cursor, clang::client_data to);
  clang::visit_next visit(clang::cursor one);
  clang::visit_next visit_outside(clang::cursor one, std::size_t at);
  std::size_t offset_of(clang::location where) const;
  text_range extent_of(clang::cursor one) const;
  bool is_in_parts(const text_range& extent) const;

  void add_use(std::size_t offset, clang::cursor of);
  std::size_t index_of(clang::cursor of);
  c_type type_of_declared(clang::cursor of);
  declaration::place place_of(clang::cursor of) const;
  std::string path_of(clang::cursor of, declaration::place place) const;
  /// A constant of C++ becomes its value.
  void set_value(declaration& one, clang::cursor of) const;

  void add_method_of(clang::cursor function, const text_range& where);
  void add_members(clang::cursor of_class, member_scope& into);
  static clang::visit_next visit_member(clang::cursor one, clang::client_data to);
  static clang::visit_next visit_base(clang::cursor one, clang::cursor, clang::client_data to);

  void set_form(c_type& result, clang::type from);
  void set_record(c_type& result, clang::type from);
  static clang::visit_next visit_field(clang::cursor one, clang::client_data to);

  const clang::library& lib_;
  const std::span<const text_range> parts_;
  const bool is_cxx_;
  source_names& into_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> indices_;  // of declarations, by their offset and name
  std::vector<field>* fields_ = nullptr;                                // of the record that is being read
  member_scope* members_ = nullptr;                                     // of the class that is being read
  std::exception_ptr failed_;
};

}  // namespace stretto::cc::acc
