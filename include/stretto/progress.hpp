// progress.hpp - a progress line on the terminal for long work; `stretto top` shows it, too.
//
// Threads     advance and set: any thread. One thread makes and destroys the object.
// Cost        advance: one atomic addition and, if a line is shown, one clock read. The line is drawn ten times a
//             second.
// Invariants  (1) nothing is written if standard error is not a terminal, unless the options ask for it. (2) of several
//             live objects, the newest has the line.
//
//     void smooth(int step);
//
//     void smooth_all(int steps) {
//       progress p("smoothing", static_cast<std::uint64_t>(steps), {.unit = "steps"});
//       for (int i = 0; i < steps; ++i) smooth(i), p.advance();
//     }
#pragma once

#include <stretto/compiler.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

STRETTO_API_BEGIN

namespace stretto {

/// The appearance of a progress line.
struct progress_options {
  std::string unit = {};              // the unit of the counts: "steps"
  std::optional<bool> shown = {};     // absent: STRETTO_PROGRESS, whose default is: on a terminal
  std::optional<bool> coloured = {};  // absent: STRETTO_COLOR, whose default is: on a terminal, unless NO_COLOR is set
};

/// The progress of long work: a line on the terminal that disappears when this object is destroyed.
class progress {
 public:
  /// Starts a line for the work `what`, a word or two, of `total` units; 0 if the total is unknown. Throws
  /// std::bad_alloc only.
  explicit progress(std::string what, std::uint64_t total = 0, progress_options options = {});
  progress(const progress&) = delete;
  ~progress();

  /// Adds this many units to those done.
  void advance(std::uint64_t units = 1) noexcept {
    done_.fetch_add(units, std::memory_order_relaxed);
    if (shown_) draw_now_and_then();
  }
  /// Sets the number of units done.
  void set(std::uint64_t units) noexcept {
    done_.store(units, std::memory_order_relaxed);
    if (shown_) draw_now_and_then();
  }
  /// The number of units done.
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
