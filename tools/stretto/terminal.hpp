// terminal.hpp - applies the options progress and color, and NO_COLOR, to a stream.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <stretto/progress.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/options.hpp"

namespace stretto::tools {

/// True if `mode` is on, or automatic and the stream is a terminal.
bool fits(base::switch_mode mode, std::FILE* to);
/// As fits; with mode automatic, false if NO_COLOR is set.
bool may_colour(base::switch_mode mode, std::FILE* to);
/// Writes text that may come from files or other programs to standard output, with control characters escaped
/// (base/terminal_text.hpp).
void write_safely(std::string_view text);
template <class... Arguments>
void print_text(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_safely(fmt::format(format, std::forward<Arguments>(arguments)...));
}
/// For the progress line of a subcommand.
progress_options progress_as(const base::settings& settings, std::string unit);

}  // namespace stretto::tools
