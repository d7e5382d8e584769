#include "demo/wave/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace stretto::wave {

std::string progress_text(const char* what, int done, int all, bool coloured) {
  constexpr int width = 40;
  const int filled = int(std::int64_t(width) * std::clamp(done, 0, all) / std::max(all, 1));
  const int percent = int(std::int64_t(100) * std::clamp(done, 0, all) / std::max(all, 1));
  const auto bar = fmt::format("{:=<{}}", "", filled);
  return fmt::format("  {:10} [{}{}{}{:{}}] {:3} %   {} of {} steps", what, coloured ? "\x1b[36m" : "", bar,
                     coloured ? "\x1b[0m" : "", "", width - filled, percent, done, all);
}

void progress_line::show(const char* what, int done, int all) {
  if (!style_.shown) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  on_screen_ = true;
  fmt::print(to_, "\r{}", progress_text(what, done, all, style_.coloured));
  std::fflush(to_);
}

void progress_line::clear() {
  if (!on_screen_) return;
  on_screen_ = false;
  std::fputs("\r\x1b[K", to_);
  std::fflush(to_);
}

}  // namespace stretto::wave
