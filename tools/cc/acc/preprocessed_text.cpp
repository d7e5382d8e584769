#include "cc/acc/preprocessed_text.hpp"

#include <algorithm>
#include <charconv>

namespace stretto::cc::acc {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first);
}

/// Takes `word` off the front of the text if it stands there as a whole word.
bool skip_word(std::string_view& text, std::string_view word) {
  const std::string_view from = trimmed(text);
  if (!from.starts_with(word)) return false;
  if (from.size() > word.size() && from[word.size()] != ' ' && from[word.size()] != '\t') return false;
  text = from.substr(word.size());
  return true;
}

/// The text between quotes, as a line marker spells a file.
std::string quoted_name(std::string_view text) {
  std::string name;
  const auto first = text.find('"');
  for (auto i = first == text.npos ? text.size() : first + 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    name += text[i];
  }
  return name;
}

}  // namespace

preprocessed_text::preprocessed_text(std::string text) : text_(std::move(text)) {
  std::string code = text_;
  for (std::size_t first = 0; first < text_.size();) {
    auto last = std::min(text_.find('\n', first), text_.size());
    if (trimmed(std::string_view(text_).substr(first, last - first)).starts_with('#'))
      while (last < text_.size() && text_[last - 1] == '\\') last = std::min(text_.find('\n', last + 1), text_.size());
    read_line(first, last, code);
    first = last + 1;
  }
  program_ = device::tokens_of(code);
}

void preprocessed_text::read_line(std::size_t first, std::size_t last, std::string& code) {
  std::string_view line = trimmed(std::string_view(text_).substr(first, last - first));
  if (!line.starts_with('#')) return;
  std::fill(code.begin() + static_cast<std::ptrdiff_t>(first), code.begin() + static_cast<std::ptrdiff_t>(last), ' ');
  line.remove_prefix(1);
  if (!skip_word(line, "pragma")) return read_marker(line, last + 1);
  if (!skip_word(line, "acc")) return;
  std::string directive(line);
  for (auto at = directive.find("\\\n"); at != directive.npos; at = directive.find("\\\n"))
    directive.replace(at, 2, " ");
  pragmas_.push_back({first, last, std::move(directive)});
}

void preprocessed_text::read_marker(std::string_view line, std::size_t behind) {
  skip_word(line, "line");
  line = trimmed(line);
  unsigned number = 0;
  const auto read = std::from_chars(line.data(), line.data() + line.size(), number);
  if (read.ec != std::errc{}) return;
  std::string file = quoted_name(line);
  if (file.empty() && !markers_.empty()) file = markers_.back().file;
  markers_.push_back({behind, std::move(file), number});
}

std::size_t preprocessed_text::token_behind(std::size_t offset) const noexcept {
  const auto found = std::ranges::lower_bound(program_, offset, {}, &token::offset);
  return static_cast<std::size_t>(found - program_.begin());
}

source_line preprocessed_text::line_at(std::size_t offset) const {
  const auto next = std::ranges::upper_bound(markers_, offset, {}, &marker::offset);
  const auto begin = text_.begin();
  const auto lines_from = [&](std::size_t from) {
    return static_cast<unsigned>(
        std::count(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(offset), '\n'));
  };
  if (next == markers_.begin()) return {"", 1 + lines_from(0)};
  const marker& last = *std::prev(next);
  return {last.file, last.line + lines_from(last.offset)};
}

}  // namespace stretto::cc::acc
