// launch_pipeline.hpp - who takes a launch into the graphs: the call that says it, or a task of the runtime while the program goes on.
//
// A launch is handed over if it cannot be refused: an equal launch passed the checks before, or no cut of it can fail
// (graph/cut_validity.hpp). Everything else is done in the call, after all launches that were handed over: only calls throw errors and
// call mappers of the program's own.
//
//     the program:  says launch -> pending_launches -> goes on
//     a task:       takes one after another: task, commands, instructions, operations; ends when none is left
//
// Whoever asks for the graphs takes what is left, too, rather than wait for that task. (Decision 0060.)
//
// Threads     calls of the program one at a time; what takes runs on any worker. `saying`, then `mutex`.
// Cost        handing over: see docs/performance.md. On a runtime that never hands over: none.
// Invariants  (1) launches come into the graphs in the order of the program. (2) no more horizons are ahead than where calls do it all:
//             the next launch is taken when the horizon so far back has been reached. (3) nothing waits with a lock.
#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <optional>

#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

/// A call of the program: it may say what comes next, and, once it holds the buffers, find that all it said before is in the graphs.
class submission_lock {
 public:
  enum class waits : bool { no, yes };  // no: however far ahead that is
  /// Says only; nobody else does. Where nothing is ever handed over, it holds the buffers at once.
  explicit submission_lock(buffers_state& s);
  /// Holds the buffers from now on. True if somebody else may have said something in between.
  ///
  ///   throws   what a launch that was handed over was refused with
  bool lock_buffers(const std::source_location& where);
  bool drain(waits w, const std::source_location& where);  // and throws nothing

 private:
  buffers_state& s_;
  std::unique_lock<std::mutex> submission_;
  std::optional<buffers_lock> buffers_;
};

/// The same, holding the buffers.
class drained_submission_lock : submission_lock {
 public:
  drained_submission_lock(buffers_state& s, const std::source_location& where) : submission_lock(s) { lock_buffers(where); }
};

/// What a launch is, beside what is known of it.
struct launch_call {
  const kernel_code* code = nullptr;                    // a kernel, with its arguments;
  std::span<const detail::buffer_item> items = {};
  detail::host_function* host = nullptr;                // or a function, which goes with it
  const task_work* work = nullptr;
};
/// Hands it over, if that may be and is worth it; the event is that of the launch. Requires that who calls says.
std::optional<event> try_enqueue(buffers_state& s, const std::shared_ptr<cached_launch>& cached, const launch_call& l,
                               base::thread_context& context);

/// Measures how long some launches take to generate: repeated launches each by itself, new ones together.
class submission_timer {
 public:
  explicit submission_timer(buffers_state& s, cached_launch& of);
  ~submission_timer();
  submission_timer(const submission_timer&) = delete;
  submission_timer& operator=(const submission_timer&) = delete;

 private:
  std::uint32_t* of_ = nullptr;
  std::uint64_t since_ = 0;
};

}  // namespace stretto::buffers
