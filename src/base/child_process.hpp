// child_process.hpp - runs another program to its end, or to a time limit, and captures its output.
//
// Threads     any. The program is started anew, never forked from this process, whose threads may hold locks.
// Cost        starting a process; the calling thread waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace stretto::base {

struct child_command {
  std::vector<std::string> arguments;         // the program, found as shells find it; its arguments
  std::vector<std::string> environment = {};  // "NAME=value": in place of this process's, or added to it
  std::chrono::milliseconds limit{20'000};    // afterwards the program is killed
  std::size_t most_output = 1 << 16;          // bytes that are kept of each stream
};

struct child_end {
  bool is_started = false;
  bool is_in_time = true;
  int status = 0;              // of waitpid(); 0 if it is unknown, because the program ignores SIGCHLD
  std::string output, errors;  // standard output and standard error

  /// "was killed by signal 6 (Aborted)", "ended with exit code 9", "did not end within 20 s".
  std::string to_text() const;
  bool has_succeeded() const noexcept { return is_started && is_in_time && status == 0; }

  std::chrono::milliseconds limit{};
};

/// This process's environment with other values of some variables, "NAME=value", as posix_spawn() takes it: pointers
/// into both, then null.
std::vector<char*> environment_with(std::span<const std::string> changed);

child_end run_child(const child_command& command);

}  // namespace stretto::base
