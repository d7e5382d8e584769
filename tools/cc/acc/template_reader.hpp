// template_reader.hpp - finds the instantiations of templates in which directives stand, and reads their names.
//
// Threads     one at a time uses a reader.
// Cost        walks through all functions of the program, but not of the system's headers.
#pragma once

#include <exception>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cc/acc/clang_library.hpp"
#include "cc/acc/template_instance.hpp"

namespace stretto::cc::acc {

class name_reader;

/// libclang has instantiations in its tree, but leads to them from the places that use them alone.
class template_reader {
 public:
  template_reader(const clang::library& lib, const preprocessed_text& source, std::span<const text_range> parts,
                  std::span<const std::size_t> directives, all_names& into)
      : lib_(lib), source_(source), parts_(parts), directives_(directives), into_(into) {}

  void read(clang::cursor top);

 private:
  struct parameter {
    clang::cursor of;
    std::string name;
  };
  struct found_template {
    text_range where;
    clang::cursor of_class;  // a template; of members
  };
  struct argument {
    std::string name;
    c_type type = {};  // of types
    bool is_value = false;
    std::int64_t value = 0;  // of values
  };

  static clang::visit_next visit_template(clang::cursor one, clang::cursor, clang::client_data to);
  static clang::visit_next visit_use(clang::cursor one, clang::cursor, clang::client_data to);
  static clang::visit_next visit_parameter(clang::cursor one, clang::cursor, clang::client_data to);
  clang::visit_next find_template(clang::cursor one);
  clang::visit_next find_use(clang::cursor one);

  std::string condition_that_is_false(clang::cursor of_template);
  [[noreturn]] void refuse(std::size_t offset, const std::string& found, const std::string& remedy) const;
  void check_lambda(const text_range& where) const;
  void add_instance(clang::cursor function);
  void read_instance(clang::cursor function, const text_range& where);
  void read_member(const found_template& of, clang::cursor of_class);
  void add_class(clang::cursor of_class);
  std::vector<parameter> parameters_of(clang::cursor of_template);
  std::vector<argument> arguments_of(clang::cursor function, name_reader& reader, std::string& condition);
  std::vector<argument> arguments_of_class(clang::cursor of_class, name_reader& reader, std::string& condition);
  void add_arguments(const text_range& where, const std::vector<argument>& all, source_names& into) const;
  text_range range_of(clang::cursor one) const;
  std::size_t place_of(clang::cursor one) const;
  bool is_of_system(clang::cursor one) const;

  const clang::library& lib_;
  const preprocessed_text& source_;
  const std::span<const text_range> parts_;
  const std::span<const std::size_t> directives_;
  all_names& into_;
  clang::cursor top_{};
  std::vector<found_template> templates_;
  std::set<std::string> known_;         // instantiated functions
  std::vector<clang::cursor> classes_;  // instantiated
  std::vector<parameter>* parameters_ = nullptr;
  std::exception_ptr failed_;
};

}  // namespace stretto::cc::acc
