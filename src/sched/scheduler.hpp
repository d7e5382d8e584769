// scheduler.hpp - the workers of one runtime and the state that they share: queues of places, memory, sleep.
//
// Threads     as each member says; start and stop: the thread that makes the runtime.
// Invariants  (1) no lost wake-up: a worker announces that it will sleep, fences and checks the queues again; a
//             producer checks for sleepers after it has enqueued. (2) blocks and stacks are freed only after all
//             workers.
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
#include "sched/lease_queue.hpp"
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

/// Settings of a scheduler; the option table has the ranges.
struct scheduler_settings {
  std::size_t stack_bytes = 256 << 10;
  std::size_t max_suspended = 60000;
  // Above the usual 50 microseconds: workers spin adaptively, up to this (adaptive_spin.hpp).
  std::uint32_t longest_spin_microseconds = 0;
  std::uint64_t seed = 1;
  bool stepped = false;                 // no threads: the program calls step()
  bool errors_as_json = false;          // for errors written to standard error
  trace::recorder* recorder = nullptr;  // null: nothing is recorded
  poll_coordinator* polls = nullptr;    // null: no pollers
  // Some pollers make progress on the thread of worker 0 only, so that worker never sleeps for long.
  bool first_worker_polls = false;
  std::uint32_t spare_workers = 0;     // that run tasks while workers block in system calls
  std::vector<place_server*> servers;  // by place: the server that replaces the workers, or null; may be shorter
};

/// The part of a platform that the scheduler needs: the paths of each worker, as place indices.
struct scheduler_paths {
  std::uint32_t places = 1;
  std::vector<std::vector<std::uint16_t>> pop, steal;  // one per worker, nearest first
  std::vector<std::string> names;                      // of places, for messages
  std::vector<place_kind> kinds;                       // of places
};

/// The spawner named no place: the task goes to the queue of the worker that makes it ready.
inline constexpr std::uint16_t no_place = 0xffff;
/// In `place`: the task has none, but prefers the worker in the other bits (near_worker.hpp).
inline constexpr std::uint16_t near_worker_bit = 0x8000;
/// The same in the number of a worker in a request.
inline constexpr std::uint32_t prefers_worker = 0x80000000u;
inline bool prefers_a_worker(std::uint16_t place) noexcept { return place & near_worker_bit && place != no_place; }
/// In `bound`: the task goes to the server of its place.
inline constexpr std::uint16_t bound_to_server = 0xffff;
/// In `bound`: only workers whose paths visit its place may run the task, and not all paths do.
inline constexpr std::uint16_t bound_to_place = 0xfffe;

/// Which workers search which places; computed once from the paths.
struct path_index {
  explicit path_index(const scheduler_paths& paths);

  /// Each worker steals at every place that any path visits: any worker finds any task. True of the default paths.
  bool is_uniform;
  std::vector<std::vector<std::uint16_t>> visitors;  // by place: workers whose pop or steal path visits it
  std::vector<std::vector<std::uint16_t>> thieves;   // by place: workers whose steal path visits it
  std::vector<std::vector<bool>> visits;             // by worker and place
};

/// Stands in for the only worker (substitute.hpp). It is not in `workers`, is not counted and never parks.
struct substitute_worker {
  explicit substitute_worker(std::unique_ptr<worker> is) noexcept : as(std::move(is)) {}

  const std::unique_ptr<worker> as;
  std::mutex mutex;
  std::atomic<bool> has_begun{false};
  std::atomic<std::uint32_t> calls{0};  // futex
  // Used by its own thread.
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
  std::atomic<std::uint32_t> cancelling{0};       // any thread: cancels in progress, mostly 0 (cancellation.hpp)
  trace::recorder* const recorder;
  poll_coordinator* const polls;
  std::vector<std::unique_ptr<worker>> workers;
  std::unique_ptr<substitute_worker> substitute;  // null where there are several workers, or one thread steps

  // Any thread.
  std::vector<std::unique_ptr<base::block_pool>> stocks;  // by size class
  base::block_pool scope_stock, shard_stock;
  stack_pool stacks;
  // by place: from threads whose queues its visitors do not search
  std::vector<inbox> injected;
  inbox anywhere;                     // without a place, from threads that are not workers
  finish_scope* root = nullptr;       // of tasks that no finish encloses
  failure_list unobserved;            // failures of operations without a task; run throws them
  std::atomic<bool> draining{false};  // the runtime ends once nothing more can run
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> searching_and_parked{0};  // low half (always 0 unless reach.is_uniform), high half
  // low half: tasks and copies that modules execute; high half: polls
  std::atomic<std::uint64_t> outside{0};
  std::mutex waiting_mutex;
  finish_scope* waiting_scopes = nullptr;
  std::atomic<std::uint32_t> waiting_count{0};
  std::mutex cancel_mutex;                    // guards what follows
  std::vector<const task_record*> withdrawn;  // tasks that will not begin, until they are done
  mutable std::mutex attach_mutex;
  std::vector<thread_state*> attached;
  std::uint32_t next_attached = 0;
  std::uint32_t rings_of_threads = 0;
  std::vector<std::pair<const char*, trace::ring*>> spare_rings;  // of threads that have detached
  // Stepped runtimes, used by the thread that steps: the number of steps left, and the random state that draws them.
  std::uint64_t steps_left = ~std::uint64_t{0};
  std::uint64_t step_random;
  std::atomic<bool> has_long_spinner{false};  // one worker spins for longer than the minimum; no other may
  std::atomic<std::uint32_t> next_bound{0};
  std::atomic<std::uint32_t> without_stack{0};  // workers that cannot go on without another stack
  const overflow_watch watch;
  const debugged for_debuggers{*this};
  // spare_workers.hpp.
  std::vector<std::unique_ptr<worker>> spares;
  std::vector<worker*> victims;                 // from whose queues others steal: the workers, then the spare ones
  std::atomic<std::uint32_t> wanted_spares{0};  // how many spare workers may run tasks
  std::atomic<std::uint32_t> spare_calls{0};    // futex of the spare workers
  lease_queue leases;                           // core_lease.hpp

  /// After a push to this worker's default queue: wakes a worker that may steal there, if need be.
  void notify(const worker& at) noexcept {
    if (must_wake()) [[unlikely]]
      wake_thief(at.paths.pop->front());
  }
  /// After a push to a worker's own queue at this place: wakes a worker that may steal there, if need be.
  void notify_thieves(std::uint16_t place) noexcept {
    if (must_wake()) [[unlikely]]
      wake_thief(place);
  }
  /// After a put where every worker whose paths visit this place searches: wakes one of them, if need be.
  void notify_visitors(std::uint16_t place) noexcept {
    if (must_wake()) [[unlikely]]
      wake_visitor(place);
  }
  /// After a put where every worker searches: wakes one, if need be.
  void notify_all_alike() noexcept {
    if (must_wake()) [[unlikely]]
      wake_any();
  }
  /// After a put into the worker's inbox of tasks that prefer it: wakes it, or another one if it is busy, if need be.
  void notify_near(worker& preferred) noexcept;
  void wake_any() noexcept;
  void wake(worker& w) noexcept;
  void wake_all() noexcept;
  /// Wakes workers for the items that `w`, which has just found work, leaves for others.
  void wake_for_the_rest(const worker& w) noexcept;
  /// Whether any queue that this worker may take from has an item; takes nothing.
  bool anything_ready(const worker& w) const noexcept;
  /// A worker that visits the place, preferably one that sleeps.
  worker& a_visitor_of(std::uint16_t place) noexcept;
  /// How many items are ready at a place, in the workers' queues and submitted by other threads. Items with a priority
  /// or bound to a worker count at the first place of that worker's pop path. Nothing if nothing was ever put there.
  std::optional<std::uint64_t> queued_at(std::uint32_t place) const noexcept;

  /// A module executes something until outside_ended. It may make tasks ready, so no event counts as untriggered
  /// meanwhile.
  void outside_began(std::uint64_t what = 1) noexcept { outside.fetch_add(what, std::memory_order_seq_cst); }
  void outside_ended(std::uint64_t what = 1) noexcept {
    outside_ended(what, [] { return true; });
  }
  /// `matters`: whether a worker that went to sleep meanwhile may have to check again for untriggered events; called
  /// after the count has gone down.
  template <class Matters>
  void outside_ended(std::uint64_t what, Matters&& matters) noexcept {
    if (outside.fetch_sub(what, std::memory_order_seq_cst) == what && draining.load(std::memory_order_seq_cst) &&
        matters())
      wake_any();
  }
  /// Argument of these two: a poll of the service thread.
  static constexpr std::uint64_t one_poll = std::uint64_t{1} << 32;

  /// The place whose queue a task goes to, and its binding: a worker's number plus 1, bound_to_server, bound_to_place,
  /// or 0 for none.
  struct destination {
    std::uint16_t place = no_place, bound = 0;
  };
  /// The destination for the tags at(place), on(processor) and on(worker(i)); empty places and worker 0xffffffff stand
  /// for absent tags. A worker's number with the bit `prefers_worker` binds to no worker.
  /// Throws S02, S03.
  destination destination_of(place at, place on, std::uint32_t worker, const std::source_location& where);
  /// The server that runs the tasks of a reachable place, or null if workers do.
  place_server* server_of(std::uint16_t place) const noexcept {
    return place < settings.servers.size() ? settings.servers[place] : nullptr;
  }

  /// Threads that count in shards of scopes: the workers, the substitute and the spare workers.
  std::uint32_t shard_count() const noexcept {
    return static_cast<std::uint32_t>(workers.size() + (substitute ? 1 : 0) + spares.size());
  }
  /// After a put that the only worker may not fetch, since no thread is inside run or its body is blocked.
  void call_substitute() noexcept {
    if (substitute && substitute->has_begun.load(std::memory_order_acquire)) [[unlikely]]
      wake_substitute();
  }

  /// Wakes the spare workers, which check whether they are wanted.
  void call_spares() noexcept;

  /// A thread that is not a worker may use the runtime from attach to detach.
  thread_state* attach(const std::source_location& where, const char* track_name = program_thread);
  static constexpr const char* program_thread = "thread";  // attached by the program
  /// Whether a worker may have nothing to do. If paths differ, searching workers are not counted: true.
  bool may_have_idle_worker() const noexcept {
    return one_searching == 0 || searching_and_parked.load(std::memory_order_relaxed) != 0;
  }
  /// Whether threads of the program, or of modules, are attached.
  bool has_program_threads() const noexcept;
  void detach(thread_state* t) noexcept;

 private:
  /// Whether a producer has to wake a sleeping worker. A searching worker finds the new item, and wakes another worker
  /// if it leaves items behind. If paths differ, searching workers are not counted.
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
  /// The index of a place that some worker's paths reach or a server serves; throws S02.
  std::uint16_t reachable_place(place p, const std::source_location& where) const;
  bool is_of_device(place p) const noexcept;
  error no_host_code_at(const char* code, place p, const std::source_location& where) const;
  /// The number plus 1 of a worker whose pop path begins at that processor, alternately if several; throws S03.
  std::uint16_t worker_at(place p, const std::source_location& where);
  /// That worker, plus 1; throws S03.
  std::uint16_t worker_numbered(std::uint32_t index, const std::source_location& where) const;
  void prepare_thread(thread_state& t);
};

/// Throws S04 if it is out of range.
std::int8_t checked_priority(int priority, const std::source_location& where);

}  // namespace stretto::sched
