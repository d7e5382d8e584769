// demonstration.hpp - the whole of `stretto demo wave`: check, pose, run in tasks, paint, run serially, compare,
// report.
//
// Threads     one at a time in a process: it listens to Ctrl-C.
// Order       All checks come before any work: the output folder first, then the medium, then the
//             numbers. Pictures are written as soon as the tasks are done, so that a Ctrl-C while the serial loop
//             checks them loses nothing.
// Nodes       In a job of several, the first one does this, and the others serve it.
// Errors      those of output_folder.hpp, image.hpp, options.hpp and run_tasks.hpp; W18 the fields differ; W34 devices
// on
//             several nodes.
#pragma once

#include <optional>
#include <stretto/platform.hpp>
#include <stretto/progress.hpp>
#include <stretto/runtime.hpp>

#include "demo/wave/options.hpp"
#include "demo/wave/report.hpp"
#include "demo/wave/run_tasks.hpp"

namespace stretto::wave {

enum class report_form { text, json };

struct demonstration_request {
  options asked;
  runtime_options runtime;         // machine and workers are chosen by `asked` and `platform_file`
  std::uint32_t nodes = 1;         // where check() is asked: those that are to be started
  std::string platform_file = {};  // empty: discover the machine
  report_form form = report_form::text;
  text_style style = text_style::plain;
  progress_options progress = {};
  std::optional<planned_failure> failure = std::nullopt;
};

/// Runs it and prints the report on standard output, the progress line on standard error.
///
///   returns  0, or 130 if Ctrl-C ended it early
///   throws   an error, whose exit code is the caller's matter
int demonstrate(const demonstration_request& request);

/// Only what is found before any work; for who starts the nodes.
void check(const demonstration_request& request);

}  // namespace stretto::wave
