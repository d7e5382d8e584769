// preprocessed_text.hpp - the output of a preprocessor: its directives of OpenACC, its tokens, and the lines of the
// user's source.
//
// Threads     does not change after construction.
// Cost        linear in the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cc/acc/directive.hpp"

namespace stretto::cc::acc {

/// A line "#pragma acc ...".
struct pragma_line {
  std::size_t first, last;  // offsets of the line in the text, without its end
  std::string text;         // what follows "acc"
};

class preprocessed_text {
 public:
  /// Reads the output of `cc -E`, with its line markers.
  explicit preprocessed_text(std::string text);

  std::string_view text() const noexcept { return text_; }
  const std::vector<pragma_line>& pragmas() const noexcept { return pragmas_; }
  /// Of the program, without those of markers and pragmas. Offsets are those in text().
  const tokens& program() const noexcept { return program_; }
  /// The index in program() of the first token at or behind an offset; its size if there is none.
  std::size_t token_behind(std::size_t offset) const noexcept;
  /// The user's line at an offset.
  source_line line_at(std::size_t offset) const;

 private:
  struct marker {
    std::size_t offset;  // of the first line that it names
    std::string file;
    unsigned line;
  };
  void read_line(std::size_t first, std::size_t last, std::string& code);
  void read_marker(std::string_view line, std::size_t behind);

  const std::string text_;
  std::vector<marker> markers_;
  std::vector<pragma_line> pragmas_;
  tokens program_;
};

}  // namespace stretto::cc::acc
