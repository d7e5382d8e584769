// launcher_process.hpp - runs a launcher to its end: passes signals on, and learns how nodes ended.
//
// Threads     of a process with one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "job/launch_plan.hpp"
#include "job/node_end.hpp"

namespace stretto::job {

struct job_end {
  std::vector<node_end> nodes;  // that did not end well, the first first
  int exit_code = 0;            // of the launcher; 128 and the signal that ended it
  int ended_by_signal = 0;      // the signal that this process was told to end by; 0: it was not
};

/// What to do with the texts that nodes write to standard error, and how long it all may take.
struct watch_options {
  std::function<void(std::string_view)> errors;
  std::function<void(std::string_view)> output = {};  // empty: standard output is the launcher's own
  int most_seconds = 0;                               // then all is ended; 0: no limit
};

/// Throws W57 where the launcher cannot be started.
job_end run_launcher(const plan& p, const std::vector<std::string>& program, const watch_options& how);

}  // namespace stretto::job
