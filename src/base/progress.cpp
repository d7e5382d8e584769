#include <stretto/progress.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "base/clock.hpp"
#include "base/fork_reset.hpp"
#include "base/options.hpp"
#include "base/progress_list.hpp"

namespace stretto {

// Belongs to the process, as its standard error does.
struct progress_list {
  static constexpr std::int64_t pause = 100'000'000;  // ns between two drawings

  std::mutex mutex;
  progress* newest = nullptr;

  static base::progress_state state_of(const progress& p) { return {p.what_, p.unit_, p.done(), p.total_}; }
  static void clear(progress& p) noexcept {
    if (std::exchange(p.on_screen_, false)) std::fputs("\r\x1b[K", stderr);
  }
  void add(progress& p) {
    const std::scoped_lock lock(mutex);
    if (newest) clear(*newest);
    p.older_ = newest;
    newest = &p;
  }
  void remove(progress& p) noexcept {
    const std::scoped_lock lock(mutex);
    clear(p);
    progress** at = &newest;
    while (*at != &p) at = &(*at)->older_;
    *at = p.older_;
  }
  void draw(progress& p) {
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (!lock || newest != &p) return;
    std::fputs(("\r" + base::progress_text(state_of(p), p.coloured_)).c_str(), stderr);
    p.on_screen_ = true;
  }
  std::vector<base::progress_state> states() {
    const std::scoped_lock lock(mutex);
    std::vector<base::progress_state> all;
    for (const progress* p = newest; p; p = p->older_) all.push_back(state_of(*p));
    return all;
  }
};

namespace {

constinit progress_list list;

// The progress lines of the forking thread stay.
const base::fork_reset reset_in_child([]() noexcept { std::construct_at(&list.mutex); });

bool fits(base::switch_mode mode) noexcept {
  return mode == base::switch_mode::on || (mode == base::switch_mode::automatic && isatty(STDERR_FILENO));
}

bool may_colour(base::switch_mode mode) noexcept {
  const char* const refused = std::getenv("NO_COLOR");
  return fits(mode) && (mode == base::switch_mode::on || !refused || !*refused);
}

}  // namespace

namespace base {

std::vector<progress_state> progress_now() { return list.states(); }

std::string progress_text(const progress_state& s, bool coloured) {
  const auto unit = s.unit.empty() ? std::string() : " " + s.unit;
  if (s.total == 0) return fmt::format("  {:10} {}{}", s.what, s.done, unit);
  constexpr int width = 40;
  const double share = static_cast<double>(std::min(s.done, s.total)) / static_cast<double>(s.total);
  const int filled = static_cast<int>(width * share);
  return fmt::format("  {:10} [{}{:=<{}}{}{:{}}] {:3} %   {} of {}{}", s.what, coloured ? "\x1b[36m" : "", "", filled,
                     coloured ? "\x1b[0m" : "", "", width - filled, static_cast<int>(100 * share), s.done, s.total,
                     unit);
}

}  // namespace base

progress::progress(std::string what, std::uint64_t total, progress_options options)
    : what_(std::move(what)), unit_(std::move(options.unit)), total_(total) {
  base::settings now;
  if (!options.shown || !options.coloured) now = base::parse_options(base::stretto_environment(), {}).values;
  shown_ = options.shown ? *options.shown : fits(now.progress);
  coloured_ = options.coloured ? *options.coloured : may_colour(now.color);
  list.add(*this);
}

progress::~progress() { list.remove(*this); }

void progress::draw_now_and_then() noexcept {
  const auto now = static_cast<std::int64_t>(base::nanoseconds_now());
  std::int64_t due = next_draw_.load(std::memory_order_relaxed);
  if (now < due || !next_draw_.compare_exchange_strong(due, now + progress_list::pause, std::memory_order_relaxed))
    return;
  try {
    list.draw(*this);
  } catch (...) {
    // The line is skipped.
  }
}

}  // namespace stretto
