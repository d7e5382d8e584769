// progress.hpp - how far long work is: one line on a terminal, gone when the work ends; `stretto top` shows it too.
//
// Threads     advance and set: any. Made and destroyed by one thread.
// Cost        advance: one atomic addition and, where a line is shown, one reading of the clock; drawn ten times a
//             second.
// Invariants  (1) where standard error is no terminal nothing is written, unless asked for. (2) of several that live at
//             once, the newest has the line.
//
//     stretto::progress p("smoothing", steps, {.unit = "steps"});
//     for (int i = 0; i < steps; ++i) smooth(), p.advance();
#pragma once

#include <stretto/compiler.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

STRETTO_API_BEGIN

namespace stretto {

/// How progress is shown.
struct progress_options {
  std::string unit = {};              // what is counted: "steps"
  std::optional<bool> shown = {};     // absent: STRETTO_PROGRESS, whose default is: on a terminal
  std::optional<bool> coloured = {};  // absent: STRETTO_COLOR, whose default is: on a terminal, unless NO_COLOR is set
};

/// How far a long piece of work is: a line on a terminal, which goes when this object is destroyed.
class progress {
 public:
  /// Work called `what`, a word or two, of `total` units; 0: how many is not known.
  explicit progress(std::string what, std::uint64_t total = 0, progress_options options = {});
  progress(const progress&) = delete;
  ~progress();

  /// So much more is done.
  void advance(std::uint64_t units = 1) noexcept {
    done_.fetch_add(units, std::memory_order_relaxed);
    if (shown_) draw_now_and_then();
  }
  /// So much is done in all.
  void set(std::uint64_t units) noexcept {
    done_.store(units, std::memory_order_relaxed);
    if (shown_) draw_now_and_then();
  }
  std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }

 private:
  friend struct progress_list;
  void draw_now_and_then() noexcept;

  std::atomic<std::uint64_t> done_{0};
  std::atomic<std::int64_t> next_draw_{0};
  const std::string what_, unit_;
  const std::uint64_t total_;
  bool shown_, coloured_;
  bool on_screen_ = false;  // guarded by the list
  progress* older_ = nullptr;
};

}  // namespace stretto

STRETTO_API_END
