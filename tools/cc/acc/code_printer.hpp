// code_printer.hpp - typed code as text of C. Emitters derive from the printer, and print some parts another way.
//
// Threads     one at a time uses a printer.
#pragma once

#include <optional>
#include <string>

#include "cc/acc/region_code.hpp"

namespace stretto::cc::acc {

/// The spaces ahead of a line, two for each level.
std::string indent_of(unsigned depth);

class code_printer {
 public:
  virtual ~code_printer() = default;

  /// With as few parentheses as C needs and compilers do not warn of: "a[i] = (b + c) * 2", "a | (b & c)".
  std::string print(const expression& e) const;
  /// Lines, indented by two spaces for each level and `depth` levels from the start.
  std::string print(const statement& s, unsigned depth = 0) const;

 protected:
  /// A use of a variable, as an operand of the tightest operator.
  virtual std::string name_text(const expression& e) const { return e.spelling; }
  /// An expression in another form, which binds as tightly as the expression; nothing: it is printed as it is.
  virtual std::optional<std::string> other_form(const expression&) const { return std::nullopt; }
  /// A declaration without its semicolon.
  virtual std::string variable_text(const local_variable& one) const;
  /// Lines that replace a statement; nothing: it is printed as it is.
  virtual std::optional<std::string> replacement(const statement&, unsigned) const { return std::nullopt; }
  /// A line ahead of the lines of a statement, or nothing.
  virtual std::string line_mark(const statement&) const { return {}; }

  /// In parentheses if it binds less tightly than where it stands.
  std::string operand(const expression& e, int least) const;
  /// Without another form of the whole; its operands may have one.
  std::string plain_text(const expression& e) const;
  /// The start, the condition and the step of a for.
  std::string head_of_for(const statement& s) const;
  std::string body_text(const statement& s, unsigned depth) const;
  std::string plain_text(const statement& s, unsigned depth) const;

 private:
  std::string condition_text(const expression& e) const;
  std::string joined(const std::vector<expression>& parts, std::size_t first) const;
  std::string binary_text(const expression& e) const;
  std::string unary_text(const expression& e) const;
  std::string declarations_text(const statement& s) const;
  std::string start_text(const statement& s) const;
};

inline std::string text_of(const expression& e) { return code_printer().print(e); }
inline std::string text_of(const statement& s) { return code_printer().print(s); }

/// A variable's declaration in C: "double *(*a)[4]".
std::string declaration_text(const c_type& type, const std::string& name);

}  // namespace stretto::cc::acc
