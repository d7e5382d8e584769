#include "stretto/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/terminal_text.hpp"

namespace stretto::tools {

bool fits(base::switch_mode mode, std::FILE* to) {
  return mode == base::switch_mode::on || (mode == base::switch_mode::automatic && isatty(fileno(to)));
}

bool may_colour(base::switch_mode mode, std::FILE* to) {
  const char* refused = std::getenv("NO_COLOR");
  return fits(mode, to) && (mode == base::switch_mode::on || !refused || !*refused);
}

progress_options progress_as(const base::settings& settings, std::string unit) {
  return {.unit = std::move(unit),
          .shown = fits(settings.progress, stderr),
          .coloured = may_colour(settings.color, stderr)};
}

void write_safely(std::string_view text) {
  const std::string safe = base::terminal_text(text);
  std::fwrite(safe.data(), 1, safe.size(), stdout);
}

}  // namespace stretto::tools
