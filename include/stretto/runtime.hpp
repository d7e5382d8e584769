// runtime.hpp - one node: workers, memories, events. Everything hangs off it; there is no global runtime.
//
// Threads     made and destroyed by one thread; run by one thread at a time; attach() from any.
// Cost        start-up a few ms, most of it asking the machine what it is.
// Invariants  (1) independent runtimes of a process have different node numbers, so foreign handles are refused.
//             (2) destroying a runtime lets everything that can run finish, then poisons what still waits.
#pragma once

#include <stretto/finish.hpp>
#include <stretto/place.hpp>
#include <stretto/statistics.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

class device_scheduler;
class job_seat;
class manual_clock;
class module;
class platform;

/// What a runtime is told by the program; what is left out comes from STRETTO_* variables, else from the defaults
/// (docs/guide/options.md).
struct runtime_options {
  std::optional<std::uint32_t> workers = {};      // 0: one per usable core
  std::optional<std::uint64_t> stack_bytes = {};  // of a suspended task
  std::optional<std::uint64_t> seed = {};
  std::shared_ptr<const platform> machine = {};  // null: discovered, or STRETTO_PLATFORM
  std::optional<std::string> devices = {};       // "all", "none", or kinds of them: "cuda,opencl", "sim:4"
  std::optional<std::string> trace = {};         // a file: every span is recorded and written there at the end
  bool stepped = false;                          // no threads of its own: see step()
  std::shared_ptr<job_seat> job = {};  // the job that it belongs to (job.hpp); null: as the process was started
  std::shared_ptr<device_scheduler> scheduler = {};   // of launches on objects (scheduler.hpp); null: the option's
  std::vector<std::shared_ptr<module>> modules = {};  // in the order in which they start (module.hpp)
  std::shared_ptr<manual_clock> clock = {};           // that deadlines go by (timed_wait.hpp); null: the steady clock
};

/// What one worker has done.
struct worker_statistics {
  std::uint64_t tasks = 0;   // run to their end
  std::uint64_t steals = 0;  // batches
  std::uint64_t stolen_tasks = 0;
  std::uint64_t suspensions = 0;
  std::uint64_t parks = 0;  // times it went to sleep
};

/// What a runtime has counted.
struct runtime_statistics {
  std::vector<worker_statistics> workers;
  std::vector<place_statistics> places;    // those where workers live or tasks were put
  std::vector<module_statistics> modules;  // in the order in which modules added them
  std::vector<device_statistics> devices;  // of launches on objects: the host first
  event_statistics events;
  std::uint64_t suspended = 0;  // tasks that have begun and wait, or could go on, now
  std::size_t stacks = 0;       // made so far
  std::size_t task_bytes = 0;   // memory of task records, now

  /// A table for people.
  std::string to_text() const;
  /// The same as to_text(), as one JSON object.
  std::string to_json() const;
};

/// A runtime: the workers of one node, its places and devices. Tasks, events and data belong to one.
class runtime {
 public:
  ///   throws   S15 inside a task or an attached thread of another runtime; what the options say of theirs
  explicit runtime(const runtime_options& options = {});
  runtime(const runtime&) = delete;
  /// Waits for attached threads to detach, and drains: what can run, runs to its end; what waits for events that nobody
  /// will trigger is poisoned. Where exit() in a task destroys a static runtime, and in a forked child, nothing is
  /// waited for.
  ~runtime();

  /// Calls `body` on this thread as worker 0, then waits for everything spawned inside.
  ///
  ///   returns  what body returns
  ///   throws   what body throws, or as finish(); B23 in place of it where nodes of a job asked different things of
  ///            buffers, N17 where it comes of another node's run that has ended with an error; S07 if another thread
  ///            is inside run; S16 in a forked child
  template <std::invocable<> F>
  auto run(F&& body, std::source_location where = std::source_location::current()) {
    const entered inside(*this, where);
    try {
      return finish(std::forward<F>(body), where);
    } catch (...) {
      fail(where);
    }
  }

  /// Runs one ready task, on a worker drawn from the seed, until it ends or suspends; false if nothing is ready.
  ///   throws   S01 unless the runtime was made with `stepped`; S07 from inside run or step
  bool step();

  /// For one thread that steps several nodes of a job: this one begins nothing more, and serves the others from now on.
  /// Once all have left, stepping them makes the job over, and they can be destroyed one after another. (Elsewhere the
  /// destructor does it, and waits.)
  ///   throws   S01 unless the runtime was made with `stepped`
  void leave();
  /// Whether the job is over that was left; true of a runtime that is alone.
  bool is_job_over() const noexcept;

  std::uint32_t workers() const noexcept;
  /// Its number among the nodes of its job, from 0 on; one that is alone has a number that no other of the process has.
  std::uint32_t node() const noexcept;
  std::uint32_t nodes() const noexcept;
  const platform& machine() const noexcept;
  /// What has been counted so far; any thread, at any time. With STRETTO_STATISTICS=1 its text is written to the error
  /// stream when the runtime ends.
  runtime_statistics statistics() const;

  /// Writes what is remembered of the run so far as a Chrome/Perfetto timeline; any thread, at any time.
  ///   throws   T01 if the file cannot be written
  void save_trace(const std::string& file) const;

 private:
  friend class attachment;
  friend struct runtime_access;
  struct state;
  struct entered {
    entered(runtime& r, const std::source_location& where);
    ~entered();
    state& of;  // stays where exit() destroys the runtime meanwhile
  };
  void start(bool stepped);
  /// Inside a handler: throws on, or why nodes failed as they did.
  [[noreturn]] void fail(const std::source_location& where);
  std::unique_ptr<state> state_;
};

/// While it lives, this thread, which is no worker, may use the runtime. It blocks where a task would suspend.
///
/// What it submits runs also where the runtime has one worker, and nobody is inside run or its body is blocked: from
/// the first attachment on, one more thread stands in for that worker. this_worker() is 0 in its tasks.
///
///   throws   S07 if the thread belongs to a runtime already; S16 in a forked child; S17 if the runtime has ended;
///            S10, S11 if there is no thread or stack to stand in
class attachment {
 public:
  explicit attachment(runtime& r, std::source_location where = std::source_location::current());
  attachment(const attachment&) = delete;
  ~attachment();

 private:
  void* thread_ = nullptr;
};

}  // namespace stretto

STRETTO_API_END
