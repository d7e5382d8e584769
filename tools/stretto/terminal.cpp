#include "stretto/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/terminal_text.hpp"

namespace stretto::tools {

bool fits(base::switch_mode wish, std::FILE* to) {
  return wish == base::switch_mode::on || (wish == base::switch_mode::automatic && isatty(fileno(to)));
}

bool may_colour(base::switch_mode wish, std::FILE* to) {
  const char* refused = std::getenv("NO_COLOR");
  return fits(wish, to) && (wish == base::switch_mode::on || !refused || !*refused);
}

progress_options progress_as(const base::settings& told, std::string unit) {
  return {.unit = std::move(unit), .shown = fits(told.progress, stderr), .coloured = may_colour(told.color, stderr)};
}

void write_safely(std::string_view text) {
  const std::string safe = base::terminal_text(text);
  std::fwrite(safe.data(), 1, safe.size(), stdout);
}

}  // namespace stretto::tools
