// scheduler.hpp - the workers of one runtime and what they share: queues of places, memory, sleep.
//
// Threads     as each member says; start and stop: the thread that makes the runtime.
// Invariants  (1) something put into a queue is seen by a worker: who goes to sleep announces it, fences, and looks
//             again; who puts looks for sleepers afterwards. (2) blocks and stacks are freed only after all workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <stretto/error.hpp>
#include <stretto/place.hpp>

#include "base/floating_control.hpp"
#include "sched/debugger.hpp"
#include "sched/stack_overflow.hpp"
#include "sched/worker.hpp"

namespace stretto::trace {
class recorder;
}

namespace stretto {
class place_server;
}

namespace stretto::sched {

class poll_coordinator;

/// What a runtime is told; see the option table for ranges.
struct scheduler_settings {
  std::size_t stack_bytes = 256 << 10;
  std::size_t max_suspended = 60000;
  std::size_t high_water = 8192;      // tasks waiting on one worker before a spawner lets some of them run
  std::uint32_t spin_microseconds = 50;
  std::uint32_t longest_spin_microseconds = 0;  // more than those: as far as a worker has lately had to wait (looking.hpp)
  std::uint64_t seed = 1;
  bool stepped = false;               // no threads: someone calls step()
  bool errors_as_json = false;        // those that are written to standard error
  trace::recorder* recorder = nullptr;  // null: nothing is recorded
  poll_coordinator* polls = nullptr;             // null: no pollers
  bool first_worker_polls = false;      // some of them find something on the thread of worker 0 alone, which then sleeps by naps
  std::vector<place_server*> servers;   // by place: who serves it in place of workers; shorter: nobody
};

/// Paths by worker, as place indices: what the scheduler needs of a platform.
struct scheduler_paths {
  std::uint32_t places = 1;
  std::vector<std::vector<std::uint16_t>> pop, steal;  // one per worker, nearest first
  std::vector<std::string> names;                      // of places, for messages
  std::vector<place_kind> kinds;                       // the same
};

/// A task whose spawner named no place: it goes to the queue of the worker that makes it ready.
inline constexpr std::uint16_t no_place = 0xffff;
/// In `bound`: the task goes to the server of its place.
inline constexpr std::uint16_t bound_to_server = 0xffff;
/// In `bound`: only workers whose paths visit its place may run the task, and not all paths do.
inline constexpr std::uint16_t bound_to_place = 0xfffe;

/// Which workers look where, worked out from the paths once.
struct path_index {
  explicit path_index(const scheduler_paths& paths);

  /// Each worker steals at every place that any path visits: any worker finds any task. True of the default paths.
  bool is_uniform;
  std::vector<std::vector<std::uint16_t>> visitors;  // by place: workers whose pop or steal path visits it
  std::vector<std::vector<std::uint16_t>> thieves;   // by place: workers whose steal path visits it
  std::vector<std::vector<bool>> visits;             // by worker and place
};

/// Stands in for the only worker (substitute.hpp). None of `workers`: it is counted nowhere and never parked.
struct substitute_worker {
  explicit substitute_worker(std::unique_ptr<worker> is) noexcept : as(std::move(is)) {}

  const std::unique_ptr<worker> as;
  std::mutex mutex;
  std::atomic<bool> has_begun{false};
  std::atomic<std::uint32_t> calls{0};  // futex
  // Its own thread.
  bool is_active = false;
  bool is_late = false;
};

struct scheduler {
  scheduler(base::runtime_context& runtime, scheduler_paths paths, const scheduler_settings& settings);
  scheduler(const scheduler&) = delete;
  ~scheduler();

  // Immutable after construction.
  const std::uint64_t number;  // no two schedulers of a process have the same, ever
  base::runtime_context& runtime;
  const scheduler_paths paths;
  const path_index reach;
  const std::uint64_t one_searching;  // what a searching worker adds to the low half of searching_and_parked
  const scheduler_settings settings;
  const base::usual_floating_control arithmetic;  // in force wherever no task runs
  std::atomic<std::uint32_t> cancelling{0};  // any thread: cancels under way, rarely any (cancellation.hpp)
  trace::recorder* const recorder;
  poll_coordinator* const polls;
  std::vector<std::unique_ptr<worker>> workers;
  std::unique_ptr<substitute_worker> substitute;  // null where there are several workers, or one thread steps

  // Any thread.
  std::vector<std::unique_ptr<base::block_stock>> stocks;  // by size class
  base::block_stock scope_stock, shard_stock;
  stack_pool stacks;
  std::vector<inbox> injected;                             // by place: from threads whose queues no visitor of the place looks into
  inbox anywhere;                                          // without a place, from threads that are no workers
  finish_scope* root = nullptr;                            // of tasks that no finish encloses
  failure_list unobserved;                                 // of what is no task; they surface from run
  std::atomic<bool> draining{false};                       // the runtime ends once nothing more can run
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> searching_and_parked{0};      // low half (always 0 unless reach.is_uniform), high half
  std::atomic<std::uint64_t> outside{0};                   // low half: tasks and copies that are with modules; high half: polls
  std::mutex waiting_mutex;
  finish_scope* waiting_scopes = nullptr;
  std::atomic<std::uint32_t> waiting_count{0};
  std::mutex cancel_mutex;  // guards what follows
  std::vector<const task_record*> withdrawn;               // tasks that will not begin, until they are done
  mutable std::mutex attach_mutex;
  std::vector<thread_state*> attached;
  std::uint32_t next_attached = 0;
  std::uint32_t rings_of_threads = 0;
  std::vector<std::pair<const char*, trace::ring*>> spare_rings;  // of threads that have detached
  // Stepped only, the one thread that steps: choices still to be made before it returns, and where they come from.
  std::uint64_t steps_left = ~std::uint64_t{0};
  std::uint64_t step_random;
  std::atomic<bool> has_long_spinner{false};             // by a worker that waits: no other one does then
  std::atomic<std::uint32_t> next_bound{0};
  std::atomic<std::uint32_t> without_stack{0};             // workers that could go on only with one more stack
  const overflow_watch watch;
  const debugged for_debuggers{*this};

  /// Something was put into the queue of this worker's home: wakes a worker that may steal there, if need be.
  void notify(const worker& at) noexcept {
    if (must_wake()) [[unlikely]]
      wake_thief(at.paths.pop->front());
  }
  /// Something was put into a worker's own queue at this place.
  void notify_thieves(std::uint16_t place) noexcept {
    if (must_wake()) [[unlikely]]
      wake_thief(place);
  }
  /// Something was put where every worker whose paths visit this place looks.
  void notify_visitors(std::uint16_t place) noexcept {
    if (must_wake()) [[unlikely]]
      wake_visitor(place);
  }
  /// Something was put where every worker looks.
  void notify_all_alike() noexcept {
    if (must_wake()) [[unlikely]]
      wake_any();
  }
  void wake_any() noexcept;
  void wake(worker& w) noexcept;
  void wake_all() noexcept;
  /// Wakes a worker for whatever `w`, which has just found something else, leaves where others may take it.
  void wake_for_the_rest(const worker& w) noexcept;
  /// Looks at every queue that this worker may take from, with no claim on anything.
  bool anything_ready(const worker& w) const noexcept;
  /// One that visits the place: preferably one that sleeps.
  worker& a_visitor_of(std::uint16_t place) noexcept;
  /// What is ready at a place now, in the workers' queues and what other threads put there; what has a priority or is
  /// bound counts at the home of its worker. Nothing if there are no queues, because nothing was ever put there.
  std::optional<std::uint64_t> queued_at(std::uint32_t place) const noexcept;

  /// Something is with a module until outside_ended: it may make tasks ready, so what waits is not forsaken.
  void outside_began(std::uint64_t what = 1) noexcept { outside.fetch_add(what, std::memory_order_seq_cst); }
  void outside_ended(std::uint64_t what = 1) noexcept {
    outside_ended(what, [] { return true; });
  }
  /// `matters`: whether a worker that went to sleep meanwhile may have to look again whether anything is forsaken; asked behind the end.
  template <class Matters>
  void outside_ended(std::uint64_t what, Matters&& matters) noexcept {
    if (outside.fetch_sub(what, std::memory_order_seq_cst) == what && draining.load(std::memory_order_seq_cst) && matters()) wake_any();
  }
  /// For these two: the service thread is inside a poll.
  static constexpr std::uint64_t one_poll = std::uint64_t{1} << 32;

  /// Whose queue a task goes to, and to whom it is bound: a worker's number plus 1, bound_to_server, or 0.
  struct destination {
    std::uint16_t place = no_place, bound = 0;
  };
  /// What the tags at(place), on(processor) and on(worker(i)) ask for; empty places and worker 0xffffffff: nothing.
  /// Throws S02, S03.
  destination destination_of(place at, place on, std::uint32_t worker, const std::source_location& where);
  /// Who runs tasks at a reachable place if no worker does; else null.
  place_server* server_of(std::uint16_t place) const noexcept {
    return place < settings.servers.size() ? settings.servers[place] : nullptr;
  }

  /// Threads that count in shards of scopes: the workers, and the substitute.
  std::uint32_t shard_count() const noexcept { return static_cast<std::uint32_t>(workers.size()) + (substitute ? 1 : 0); }
  /// Something was put that the only worker may not come by for: nobody may be inside run, or its body be blocked.
  void call_substitute() noexcept {
    if (substitute && substitute->has_begun.load(std::memory_order_acquire)) [[unlikely]]
      wake_substitute();
  }

  /// A thread that is no worker may use the runtime from attach to detach.
  thread_state* attach(const std::source_location& where, const char* track_name = program_thread);
  static constexpr const char* program_thread = "thread";  // attached by the program: it may do anything until it detaches
  /// Whether threads of the program, or of modules, are attached.
  bool has_program_threads() const noexcept;
  void detach(thread_state* t) noexcept;

 private:
  /// Whether a sleeping worker has to be woken for what was put into a queue just now. A searching worker finds it,
  /// and wakes another if it leaves something behind; where paths differ, searching workers are not counted.
  bool must_wake() const noexcept {
    base::asymmetric::light();
    const auto word = searching_and_parked.load(std::memory_order_relaxed);
    return word >> 32 && !(word & 0xffffffffu);
  }
  std::unique_ptr<worker> make_worker(std::uint32_t index);
  void wake_substitute() noexcept;
  void wake_thief(std::uint16_t place) noexcept;
  void wake_visitor(std::uint16_t place) noexcept;
  void wake_one_of(const std::vector<std::uint16_t>& candidates) noexcept;
  trace::ring& ring_of(const char* track_name);
  /// The index of a place that some worker's paths reach; throws S02.
  std::uint16_t reachable_place(place p, const std::source_location& where) const;
  bool is_of_device(place p) const noexcept;
  error no_host_code_at(const char* code, place p, const std::source_location& where) const;
  /// A worker whose home is that processor, plus 1, in turn if several; throws S03.
  std::uint16_t worker_at(place p, const std::source_location& where);
  /// That worker, plus 1; throws S03.
  std::uint16_t worker_numbered(std::uint32_t index, const std::source_location& where) const;
  void prepare_thread(thread_state& t);
};

/// Throws S04 if it is out of range.
std::int8_t checked_priority(int priority, const std::source_location& where);

}  // namespace stretto::sched
