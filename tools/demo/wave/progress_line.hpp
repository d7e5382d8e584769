// progress_line.hpp - one line on a terminal that says how far long work is, and is gone when it ends.
//
// Threads     one task or thread at a time.
// Cost        a call that prints nothing: one reading of the clock. Prints ten times a second.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>

namespace stretto::wave {

/// How it may be shown.
struct progress_style {
  bool shown = false, coloured = false;
};

class progress_line {
 public:
  progress_line(std::FILE* to, progress_style style) : to_(to), style_(style) {}
  progress_line(const progress_line&) = delete;
  ~progress_line() { clear(); }

  /// `what` is a word or two, `done` of `all` steps.
  void show(const char* what, int done, int all);
  void clear();

 private:
  std::FILE* to_;
  progress_style style_;
  bool on_screen_ = false;
  std::chrono::steady_clock::time_point next_{};
};

/// The line itself: "tasks   [=====     ]  50 %   600 of 1200 steps".
std::string progress_text(const char* what, int done, int all, bool coloured);

}  // namespace stretto::wave
