#include "device/log_lines.hpp"

#include <charconv>
#include <cstddef>
#include <optional>

namespace stretto::device {

namespace {

constexpr std::string_view nameless = "<kernel>:";

std::optional<std::size_t> number_at(std::string_view text) noexcept {
  std::size_t n = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (failed != std::errc() || end == text.data()) return {};
  return n;
}

std::string_view take_line(std::string_view& text) noexcept {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(line.size() + (line.size() < text.size()));
  return line;
}

/// "FILE:LINE" of line `n` of the source; empty before any #line.
std::string place_of(std::size_t n, std::string_view source) {
  std::string file;
  std::size_t line = 0;
  for (std::size_t at = 1; at <= n && !source.empty(); ++at) {
    std::string_view text = take_line(source);
    if (at == n) break;
    ++line;
    if (!text.starts_with("#line ")) continue;
    text.remove_prefix(6);
    const auto told = number_at(text);
    const auto first = text.find('"'), last = text.rfind('"');
    if (!told || first == last) continue;
    line = *told;
    file = text.substr(first + 1, last - first - 1);
  }
  return file.empty() ? file : file + ":" + std::to_string(line);
}

}  // namespace

std::string with_lines_of_user(std::string_view log, std::string_view source) {
  std::string told;
  while (!log.empty()) {
    const std::size_t at = log.find(nameless);
    told += log.substr(0, at);
    if (at == log.npos) break;
    log.remove_prefix(at);
    const std::string_view rest = log.substr(nameless.size());
    const auto n = number_at(rest);
    const std::string place = n ? place_of(*n, source) : std::string();
    told += place.empty() ? nameless : place;
    log = place.empty() ? rest : rest.substr(rest.find_first_not_of("0123456789"));
  }
  return told;
}

}  // namespace stretto::device
