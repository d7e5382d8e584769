// runtime.hpp - the runtime of one node: its workers, memories and devices; attached threads.
//
//     int main_of_a_program() {
//       runtime rt({.workers = 4});
//       const int result = rt.run([] { return async([] { return 42; }).get(); });
//       std::thread other([&] {
//         const attached_thread here(rt);  // a thread of the program that uses the runtime
//         async([] { std::puts("a task from another thread"); }).get();
//       });
//       other.join();
//       std::puts(rt.statistics().to_text().c_str());
//       return result;
//     }
//
// Threads     one thread makes and destroys a runtime; one thread at a time calls run; any thread may attach.
// Cost        a start takes a few ms, mostly for the discovery of the machine.
// Invariants  (1) a process may have several independent runtimes; a handle of another runtime is refused (E03). (2)
//             the destructor lets all runnable tasks finish, then poisons waiting ones.
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
class job_endpoint;
class manual_clock;
class module;
class platform;

/// The options of a runtime. Options that are left out come from STRETTO_* variables, or else from the defaults
/// (docs/guide/options.md).
struct runtime_options {
  std::optional<std::uint32_t> workers = {};      // 0: one per usable core
  std::optional<std::uint64_t> stack_bytes = {};  // of a suspended task
  std::optional<std::uint64_t> seed = {};         // of random choices, such as steal victims
  std::shared_ptr<const platform> machine = {};   // null: discovered, or STRETTO_PLATFORM
  std::optional<std::string> devices = {};        // "all", "none", or kinds of them: "cuda,opencl", "sim:4"
  std::optional<std::string> trace = {};          // a file: every span is recorded and written there at the end
  bool stepped = false;                           // no threads of its own: see step()
  std::shared_ptr<job_endpoint> job = {};  // the job that it belongs to (job.hpp); null: as the process was started
  std::shared_ptr<device_scheduler> scheduler = {};   // of launches on objects (scheduler.hpp); null: the option's
  std::vector<std::shared_ptr<module>> modules = {};  // in the order in which they start (module.hpp)
  std::shared_ptr<manual_clock> clock = {};           // that deadlines go by (timed_wait.hpp); null: the steady clock
  std::uint32_t spare_workers = 0;                    // run tasks while workers block in system calls
};

/// The counters of one worker.
struct worker_statistics {
  std::uint64_t tasks = 0;         // run to their end
  std::uint64_t steals = 0;        // batches
  std::uint64_t stolen_tasks = 0;  // in all of these batches
  std::uint64_t suspensions = 0;   // of tasks on this worker
  std::uint64_t parks = 0;         // how often it went to sleep
};

/// The counters of a runtime.
struct runtime_statistics {
  std::vector<worker_statistics> workers;  // by the number of the worker
  std::vector<place_statistics> places;    // homes of workers, and places with tasks
  std::vector<module_statistics> modules;  // in the order in which modules added them
  std::vector<device_statistics> devices;  // of launches on objects: the host first
  event_statistics events;                 // of this node
  std::uint64_t suspended = 0;             // tasks that have begun and are suspended now
  std::size_t stacks = 0;                  // allocated so far
  std::size_t task_bytes = 0;              // present memory of task records

  /// The counters as a table. Throws std::bad_alloc only.
  std::string to_text() const;
  /// The counters as one JSON object. Throws std::bad_alloc only.
  std::string to_json() const;
};

/// The runtime of one node: its workers, places and devices. Tasks, events and data belong to one runtime.
class runtime {
 public:
  /// Starts the workers and modules, and joins the job.
  ///
  ///   throws   S15 inside a task or an attached thread of another runtime; S10 if threads cannot be created; M01 to
  ///            M04 for modules, B12 to B14 for STRETTO_* variables, P01 to P15 for the platform, K26 and K27 for
  ///            devices
  explicit runtime(const runtime_options& options = {});
  runtime(const runtime&) = delete;
  /// Waits until attached threads have detached and all runnable tasks have ended, then poisons tasks that wait for
  /// events that nothing will trigger. In a forked child, and if exit() in a task destroys a static runtime, it waits
  /// for nothing.
  ~runtime();

  /// Calls `body` on this thread as worker 0, then waits for all tasks spawned inside, as finish does.
  ///
  ///   returns  the result of body
  ///   throws   the exception of body, or as finish(). Instead B23 if nodes of a job made different calls on buffers,
  ///            and N17 if the cause is the failed run of another node. S07 if another thread is inside run; S16 in a
  ///            forked child
  template <std::invocable<> F>
  auto run(F&& body, std::source_location where = std::source_location::current()) {
    const entered inside(*this, where);
    try {
      return finish(std::forward<F>(body), where);
    } catch (...) {
      fail(where);
    }
  }

  /// Runs one ready task until it ends or suspends, on a worker that the seed selects; false if no task is ready.
  ///   throws   S01 unless the runtime was made with `stepped`; S07 from inside run or step
  bool step();

  /// Leaves the job: this node starts no more work and only serves the others. For a thread that steps several nodes of
  /// a job; once all have left, it steps them until is_job_over(), and may destroy them one after another. Other
  /// programs leave by the destructor.
  ///   throws   S01 unless the runtime was made with `stepped`
  void leave();
  /// Whether all nodes have left the job; true for a runtime without a job.
  bool is_job_over() const noexcept;

  /// The number of workers.
  std::uint32_t workers() const noexcept;
  /// The number of this node in its job, from 0; a runtime without a job has a number that is unique in the process.
  std::uint32_t node() const noexcept;
  /// The number of nodes of the job; 1 without a job.
  std::uint32_t nodes() const noexcept;
  /// The platform of this node.
  const platform& machine() const noexcept;
  /// The present counters; on any thread, at any time. With STRETTO_STATISTICS=1, the runtime writes them to the error
  /// stream when it ends. Throws std::bad_alloc only.
  runtime_statistics statistics() const;

  /// Writes the recorded part of the run as a Chrome/Perfetto timeline; on any thread, at any time.
  ///   throws   T01 if the file cannot be written
  void save_trace(const std::string& file) const;

 private:
  friend class attached_thread;
  friend struct runtime_access;
  struct state;
  struct entered {
    entered(runtime& r, const std::source_location& where);
    ~entered();
    state& of;  // stays valid if exit() destroys the runtime meanwhile
  };
  void start(bool stepped);
  /// Inside a catch block: rethrows, or throws the cause of the job's failure.
  [[noreturn]] void fail(const std::source_location& where);
  std::unique_ptr<state> state_;
};

/// Attaches this thread, which is no worker, to a runtime for the life of this object: the thread may spawn tasks, use
/// events and data, and wait. Waiting blocks it.
///
/// Its tasks also run if the runtime has one worker and no thread is inside run, or the body of run is blocked: from
/// the first attached thread on, a substitute thread runs as worker 0.
///
///   throws   S07 if the thread belongs to a runtime already; S16 in a forked child; S17 if the runtime has ended;
///            S10, S11 if there is no thread or stack to stand in
class attached_thread {
 public:
  /// Attaches the calling thread. Throws S07, S10, S11, S16, S17.
  explicit attached_thread(runtime& r, std::source_location where = std::source_location::current());
  attached_thread(const attached_thread&) = delete;
  ~attached_thread();

 private:
  void* thread_ = nullptr;
};

}  // namespace stretto

STRETTO_API_END
