// program_copy.hpp - a rank's own copy of a program: loaded, run once, unloaded.
//
// Threads     one at a time runs a copy. A copy may move to another thread between leave_thread() and enter_thread().
//             Different copies load, run and unload at the same time.
// Cost        loading takes about 0.1 ms, as much per library of the program's own, and the size of the program's
//             data; code is one for all copies.
// Invariants  constructors, main, handlers of exit and destructors run in run(), on the stack of its caller.
// Source      globals by copies of a shared object: PIP (Hori et al., HPDC 2018) and AMPI's PIEglobals; decision 0085.
#pragma once

#include <locale.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ranks/program/object_copy.hpp"
#include "ranks/program/program_image.hpp"
#include "ranks/thread_identity.hpp"

namespace stretto::ranks {

/// Name, arguments and environment of a rank.
struct rank_start {
  std::string name;                      // for reports: "rank 3"
  std::vector<std::string> arguments;    // of main, the program's name first
  std::vector<std::string> environment;  // "NAME=value"
  std::string label = {};                // in front of each line of output
  bool has_input = true;                 // of the process; else its standard input is empty
};

/// How a run ended: main's value or that of exit, 0 to 255; 134 after abort.
struct program_end {
  stretto_end how = stretto_not_ended;
  int code = 0;
  bool is_reported = false;  // an error message gives the reason
  bool operator==(const program_end&) const = default;
};

class program_copy {
 public:
  /// Loads the copy. Throws R88 if the system's loader refuses it, R84 if there is no memory for it.
  program_copy(std::shared_ptr<const program_image> image, rank_start start);
  program_copy(const program_copy&) = delete;
  /// Unloads it. Threads that the program has started must have ended.
  ~program_copy();

  /// Runs the program on this stack, once.
  program_end run();
  /// Ends the run from within it, on its stack: MPI_Abort, an uncaught exception.
  [[noreturn]] void end(stretto_end how, int code);
  /// The same after an error message that says why.
  [[noreturn]] void end_reported(stretto_end how, int code);

  /// The copy that runs on this thread; null if none does.
  static program_copy* current() noexcept;
  /// The process's own handler of SIGABRT: `abort` in a program calls a handler of the program, and not this one.
  static void set_crash_handler(void* handler) noexcept;
  /// Takes the state that the C library keeps per thread (errno, the locale) off this thread, ahead of a suspension.
  void leave_thread() noexcept;
  /// Puts it on the thread that continues the run.
  void enter_thread() noexcept;

  /// Of the thread that runs main, and of all others of the program. The owner of the copy adds what it knows.
  ranks::thread_identity& main_identity() noexcept { return main_identity_; }
  ranks::thread_identity& thread_identity() noexcept { return thread_identity_; }
  const rank_start& start() const noexcept { return start_; }
  const program_image& image() const noexcept { return *image_; }
  /// The program's own `stdout`, while it runs.
  FILE* output() const noexcept { return *program_->output; }
  FILE* error() const noexcept { return *program_->error; }
  /// Writes lines of its output that have no end yet, ahead of an error message and the end of the process.
  void write_last_lines() const noexcept { program_->write_last_lines(1); }
  /// The address of a symbol that the program exports; null if there is none.
  void* symbol(const char* name) const noexcept;

 private:
  void load();
  void name_libraries(object_copy& program);
  std::vector<link_map*> maps() const;  // the loader's records, in the order of copies_
  stretto_run prepared_run();

  const std::shared_ptr<const program_image> image_;
  const rank_start start_;
  std::vector<std::unique_ptr<object_copy>> copies_;  // the libraries, then the program
  void* handle_ = nullptr;
  const stretto_program* program_ = nullptr;
  ranks::thread_identity main_identity_{this}, thread_identity_{this};
  // while it runs
  std::vector<std::string> arguments_;
  std::vector<char*> argv_, environment_;
  std::vector<stretto_constructor> constructors_;
  std::vector<stretto_destructor> destructors_;
  bool is_end_reported_ = false;
  // while no thread runs it
  int errno_ = 0;
  locale_t locale_ = LC_GLOBAL_LOCALE;
};

}  // namespace stretto::ranks
