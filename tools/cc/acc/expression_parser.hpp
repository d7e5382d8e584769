// expression_parser.hpp - reads expressions and parts of declarations from the tokens of a program.
//
// Threads     one at a time uses a reader.
// Source      precedence climbing: Richards, "The BCPL Cintcode and Cintpos User Guide".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

/// All members throw O09 where the code is none that they know.
class expression_reader {
 public:
  /// Reads the tokens [first, last) of the program.
  expression_reader(const preprocessed_text& source, const source_names& names, std::size_t first, std::size_t last)
      : source_(source), names_(names), at_(first), last_(last) {}

  /// The index of the next token.
  std::size_t at() const noexcept { return at_; }
  std::size_t offset_of(std::size_t index) const { return program()[index].offset; }
  bool is(std::string_view spelling) const { return at_ < last_ && program()[at_] == spelling; }
  const std::string& spelling() const { return program()[at_].spelling; }
  void skip() noexcept { ++at_; }
  bool skip_if(std::string_view spelling);
  void require(std::string_view spelling);
  [[noreturn]] void refuse(const std::string& what) const;
  /// For code of C++ that is not in its C subset.
  [[noreturn]] void refuse_cxx(const std::string& what, const std::string& remedy) const;
  bool is_cxx() const noexcept { return names_.language() == language::cxx; }

  /// Whether a type begins here: a declaration, or a cast behind its parenthesis.
  bool begins_type() const;
  bool begins_label() const;
  /// Whether parentheses of C++'s loop over a range open here: (auto& x : v).
  bool begins_range() const;

  expression read_expression() { return read_binary(0); }
  /// No comma: an argument, the value of an initialisation.
  expression read_value();
  /// No comma, no assignment.
  expression read_constant();
  /// A value, or a list in braces.
  expression read_initializer();

  /// Skips the part of a declaration that its variables share.
  void skip_specifiers();
  /// Up to the name that is declared, and over it.
  const declaration* read_declarator();
  /// Over parentheses that stand around the name.
  void skip_declarator_end();

 private:
  const tokens& program() const noexcept { return source_.program(); }
  bool is_followed_by(std::string_view spelling) const { return at_ + 1 < last_ && program()[at_ + 1] == spelling; }
  expression begun(expression_form form) const;
  expression read_binary(int least);
  expression read_unary();
  expression read_postfix();
  expression read_primary();
  expression read_sizeof();
  expression read_cast();
  expression read_call(expression&& function);
  expression read_conditional(expression&& condition);
  expression read_element(expression&& array);
  expression read_member(expression&& record, expression_form form);
  expression read_list();
  expression read_designated();
  /// The operator at a token, in signs: "&&" of C++'s `and`.
  std::string sign_at(std::size_t at) const;
  expression read_name();
  std::optional<expression> read_cxx_primary();
  expression read_named_cast();
  expression read_functional_cast();
  expression read_this();
  void check_name(const expression& name) const;
  void check_operand(const expression& operand, const std::string& sign) const;
  void skip_template_arguments(expression& name);
  /// The last name of a name with its namespaces and classes, as `size_t` of std::size_t.
  std::size_t end_of_qualified(std::size_t at) const;
  type_ref read_type();

  const preprocessed_text& source_;
  const source_names& names_;
  std::size_t at_;
  const std::size_t last_;
};

}  // namespace stretto::cc::acc
