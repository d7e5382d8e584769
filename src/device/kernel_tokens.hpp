// kernel_tokens.hpp - the text of a kernel as tokens, each with the user's source line.
//
// Threads     values.
// Cost        linear in the text; aligning reads the source file once per kernel.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::device {

struct token {
  enum class what : unsigned char { name, number, text, sign };
  what is = what::sign;
  std::string spelling;
  unsigned line = 0;       ///< 0: unknown
  std::size_t offset = 0;  ///< in the text that tokens_of() read

  bool operator==(std::string_view s) const noexcept { return spelling == s; }
};

using tokens = std::vector<token>;

/// Splits text into tokens; comments and white space are dropped. Operators of several characters are one token.
tokens tokens_of(std::string_view text, unsigned first_line = 0);

/// Assigns source lines to `parts`, which follow one another in the arguments of the macro at about `line` of
/// `source`. Returns false, with all of them on `line`, if they are not found: the file has changed, or the text was
/// generated.
bool align(std::vector<tokens*> parts, std::string_view name, std::string_view source, unsigned line);

/// The first preprocessor directive in the arguments of the macro that defines `name` at about `line` of `source`,
/// and its line. Nothing if there is none.
struct directive {
  std::string spelling;
  unsigned line = 0;
};
std::optional<directive> directive_in(std::string_view name, std::string_view source, unsigned line);

/// Joins the tokens into text. Line breaks and `#line` directives that name `file` preserve the lines.
std::string text_of(const tokens& all, std::string_view file);

}  // namespace stretto::device
