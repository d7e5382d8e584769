// terminal.hpp - what the options progress and color, and NO_COLOR, mean for a stream.
#pragma once

#include <cstdio>
#include <stretto/progress.hpp>
#include <string>

#include "base/options.hpp"

namespace stretto::tools {

/// Always, never, or where the stream is a terminal.
bool fits(base::automatic wish, std::FILE* to);
bool may_colour(base::automatic wish, std::FILE* to);
/// For the progress line of a subcommand.
progress_options progress_as(const base::settings& told, std::string unit);

}  // namespace stretto::tools
