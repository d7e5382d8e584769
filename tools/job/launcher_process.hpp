// launcher_process.hpp - runs a launcher to its end: forwards signals, and collects how nodes ended.
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
  std::vector<node_end> nodes;  // those that failed, in order of their ends
  int exit_code = 0;            // of the launcher; 128 and the signal that ended it
  int ended_by_signal = 0;      // the signal that ended this process; 0: none
};

/// Where the standard error of the nodes goes, and the time limit.
struct watch_options {
  std::function<void(std::string_view)> errors;
  std::function<void(std::string_view)> output = {};  // empty: standard output is the launcher's own
  int most_seconds = 0;                               // then all is ended; 0: no limit
};

/// Throws W57 if the launcher cannot be started.
job_end run_launcher(const plan& p, const std::vector<std::string>& program, const watch_options& how);

}  // namespace stretto::job
