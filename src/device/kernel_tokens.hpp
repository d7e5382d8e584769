// kernel_tokens.hpp - the text of a kernel as tokens, each with the line that the user wrote it on.
//
// Threads     values.
// Cost        linear in the text; aligning reads the source file once per kernel.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::device {

struct token {
  enum class what : unsigned char { name, number, text, sign };
  what is = what::sign;
  std::string spelling;
  unsigned line = 0;  ///< 0: not known

  bool operator==(std::string_view s) const noexcept { return spelling == s; }
};

using tokens = std::vector<token>;

/// Cuts text into tokens; comments and white space are left out. Operators of several characters are one token.
tokens tokens_of(std::string_view text, unsigned first_line = 0);

/// Gives `parts`, which stand one after another in the arguments of the macro at about `line` of `source`, the lines that
/// they have there. Returns false, with all of them on `line`, if they are not found: a changed file, or generated text.
bool align(std::vector<tokens*> parts, std::string_view name, std::string_view source, unsigned line);

/// The first directive of the preprocessor in the arguments of the macro that defines `name` at about `line` of `source`: "#ifdef X",
/// and where it is. Nothing where there is none.
struct directive {
  std::string spelling;
  unsigned line = 0;
};
std::optional<directive> directive_in(std::string_view name, std::string_view source, unsigned line);

/// As text again. Lines are kept by line breaks and `#line` directives that name `file`.
std::string text_of(const tokens& all, std::string_view file);

}  // namespace stretto::device
