// log.hpp - the log of a runtime: one line per message, by level.
//
// Threads     a logger may be written to from any thread; lines never mix.
// Cost        a message below the level: one load and a compare, nothing is formatted.
// Invariants  a logger belongs to one runtime (there is no global one): its lines carry that node's name.
#pragma once

#include <fmt/core.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace stretto {

/// From silent to verbose; a logger shows its own level and those before it.
enum class log_level { off, error, warn, info, debug };

namespace base {

/// A feature that may be switched by itself. Colours: `automatic` uses them on a terminal, unless NO_COLOR is set.
enum class switch_mode { off, automatic, on };

class logger {
 public:
  using sink = std::function<void(log_level, std::string_view line)>;

  /// Writes to standard error as `stretto N0 warning: text`.
  logger(std::string who, log_level level, switch_mode colour = switch_mode::automatic);
  /// Hands every line, without its newline, to `to`; calls are serialised.
  logger(std::string who, log_level level, sink to);
  ~logger();
  logger(const logger&) = delete;
  logger& operator=(const logger&) = delete;

  log_level level() const noexcept { return level_.load(std::memory_order_relaxed); }
  void set_level(log_level level) noexcept { level_.store(level, std::memory_order_relaxed); }
  bool shows(log_level at) const noexcept { return at <= level() && at != log_level::off; }

  template <class... Args>
  void error(fmt::format_string<Args...> text, const Args&... args) {
    write(log_level::error, text, fmt::make_format_args(args...));
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> text, const Args&... args) {
    write(log_level::warn, text, fmt::make_format_args(args...));
  }
  template <class... Args>
  void info(fmt::format_string<Args...> text, const Args&... args) {
    write(log_level::info, text, fmt::make_format_args(args...));
  }
  template <class... Args>
  void debug(fmt::format_string<Args...> text, const Args&... args) {
    write(log_level::debug, text, fmt::make_format_args(args...));
  }

 private:
  void write(log_level at, fmt::string_view text, fmt::format_args args) {
    if (shows(at)) write_shown(at, text, args);
  }
  void write_shown(log_level at, fmt::string_view text, fmt::format_args args);

  struct backend;
  std::atomic<log_level> level_;
  std::unique_ptr<backend> backend_;  // immutable after construction
};

}  // namespace base
}  // namespace stretto
