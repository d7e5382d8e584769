// path_expression.hpp - names with arithmetic in them: "L2_$(id / 6)_$(id % 6)" for each worker.
//
// Threads     pure.
// Cost        linear in the text; expand: no parsing, one step per number and operator.
// Source      the idea and the spelling: locality graphs of HiPER/hclib, which know / and %, left to right. Here
//             + - * / % and parentheses, with the usual precedence; their files mean the same.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::places {

/// Why an expression has no value, and where in the text.
struct bad_expression {
  std::size_t offset;
  std::string why;  // "divides by zero", "expected ), found 'x'"
};

/// A name that may depend on the worker's number, parsed once.
class path_expression {
 public:
  /// Throws bad_expression.
  explicit path_expression(std::string_view text);

  bool depends_on_worker() const noexcept { return !code_.empty(); }

  /// The name for worker `id`. Throws bad_expression when a value overflows 64 bits or a divisor is zero.
  std::string expand(std::int64_t id) const;

 private:
  friend class expression_parser;

  enum class op : std::uint8_t { number, id, negate, add, subtract, multiply, divide, modulo, literal, print };
  struct instruction {
    op does;
    std::size_t offset;      // in the text, for messages
    std::int64_t value = 0;  // number
    std::string text = {};   // literal
  };
  std::vector<instruction> code_;  // for a stack machine; empty if the text holds no expression
  std::string text_;
};

}  // namespace stretto::places
