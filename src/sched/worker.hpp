// worker.hpp - one worker: its queues, its stacks, and the task that it runs now.
//
// Threads     its own thread, unless a member says "any".
// Invariants  (1) a worker runs on exactly one stack at a time; every pooled stack has the worker loop at its base.
//             (2) a suspension is published only after its stack has been left (after_switch).
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <source_location>
#include <thread>
#include <vector>

#include "base/block_pool.hpp"
#include "base/context.hpp"
#include "base/floating_control.hpp"
#include "sched/adaptive_spin.hpp"
#include "sched/deque.hpp"
#include "sched/finish_scope.hpp"
#include "sched/inbox.hpp"
#include "sched/priority_queue.hpp"
#include "sched/stack.hpp"
#include "sched/task_record.hpp"
#include "trace/name_cache.hpp"
#include "trace/ring.hpp"
#include "trace/sampler.hpp"

namespace stretto::detail {
struct handler_span;
}

namespace stretto::sched {

struct scheduler;

/// State of a task in its thread, such as errno: it leaves the thread with the task and enters the next one with it.
struct thread_companion {
  virtual void leave_thread() noexcept = 0;
  virtual void enter_thread() noexcept = 0;

 protected:
  ~thread_companion() = default;
};

/// Record sizes; larger records come from the heap.
inline constexpr std::size_t size_classes[] = {128, 192, 256, 384, 512, 1024, 2048};
inline constexpr std::size_t size_class_count = std::size(size_classes);
inline constexpr unsigned heap_class = 7;

/// A statistic: one writer, read by anyone.
class counter {
 public:
  void operator++() noexcept { *this += 1; }
  void operator+=(std::uint64_t n) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::uint64_t read() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

inline constexpr std::uint64_t first_id_of(std::uint32_t node, std::uint32_t index) noexcept {
  return std::uint64_t{node & 0x3fff} << 50 | std::uint64_t{(index + 1) & 0x3fff} << 36;
}

/// The state of a thread of a runtime, worker or not.
struct thread_state : base::thread_context {
  scheduler* owner = nullptr;
  worker* as_worker = nullptr;            // null on attached threads
  worker* fast_path_worker = nullptr;     // `as_worker`, or null while an order observer is installed
  task_record* current = nullptr;         // the running task
  thread_companion* companion = nullptr;  // the running task's, which sets it; mostly null
  finish_scope* scope = nullptr;          // counts new tasks
  scope_shard* shard = nullptr;           // this worker's counters in `scope`; null on attached threads
  base::block_cache caches[size_class_count];
  base::block_cache scopes, shards;
  counter steals, stolen, suspensions, resumptions, parks;
  trace::sampler tasks;                     // counts all tasks, chooses those that are timed
  trace::ring* ring = nullptr;              // null: nothing is recorded
  const char* track_name = "";              // name of its trace track, without the number; attached threads only
  std::uint64_t first_id = 0, next_id = 0;  // of spans: unique in a job as long as a thread makes fewer than 2^36
  trace::ticks span_start = 0;              // of the running task, if it is timed; else 0
  const task_record* timed = nullptr;       // the task that span_start belongs to
  stretto::detail::handler_span* measured = nullptr;  // of the running handler, if it is measured
  trace::record shown_as;  // a higher floor's record for the running task, unless its kind is task
  // For reports.
  std::atomic<int> kernel_thread{0};                                   // the system's number of the thread
  std::atomic<const std::atomic<std::uint32_t>*> blocked_on{nullptr};  // not a worker: sleeps while that is 0
  std::source_location attached_at;
};

/// A suspended task, or body of run, with the state to resume it; lives on its own stack.
struct suspension {
  waiter link{};                   // fired by the dependency; then the link of queues
  thread_state* pinned = nullptr;  // not null: may resume on this worker only
  void* fake_stack = nullptr;
  std::uint64_t made_ready_by = 0;
  trace::ticks since = 0;
  dependency waits_for = event();
  const std::source_location* where = nullptr;
  // Set by suspend().
  saved_stack saved;
  stack* on;  // null: the thread's own stack
  task_record* current;
  finish_scope* scope;
  void* caught_exceptions;  // the C++ runtime's state of exceptions in flight
  unsigned uncaught_exceptions;
  void* fiber;                        // sanitizers
  std::uint64_t id;                   // the task's, in the trace
  base::floating_control arithmetic;  // the task's

  item as_item() noexcept { return reinterpret_cast<item>(this) | 1; }
};

inline suspension* suspension_in(item i) noexcept {
  return i & 1 ? reinterpret_cast<suspension*>(i & ~item{1}) : nullptr;
}
inline task_record* task_in(item i) noexcept { return reinterpret_cast<task_record*>(i); }
inline item item_of(waiter& link, bool suspended) noexcept {
  return suspended ? reinterpret_cast<item>(&link) | 1 : reinterpret_cast<item>(&task_record::of(link));
}

/// Place indices, nearest first.
struct worker_paths {
  const std::vector<std::uint16_t>* pop;
  const std::vector<std::uint16_t>* steal;
};

struct worker : thread_state {
  worker(scheduler& s, base::runtime_context& r, std::uint32_t number, std::size_t places, worker_paths paths,
         const adaptive_spin& before_sleep, std::uint64_t seed);
  ~worker();

  const worker_paths paths;
  deque* default_queue = nullptr;           // the queue of tasks without a place
  std::vector<std::atomic<deque*>> queues;  // by place; made when first used
  std::vector<deque*> pop_order;            // those of them on the pop path, nearest first
  priority_queue urgent;                    // any thread
  priority_queue bound_urgent;              // any thread: tasks with a priority that must run here
  inbox bound;                              // any thread: what else must run here
  std::deque<item> bound_ready;             // taken from `bound`, and put by the worker itself
  counter bound_here, bound_taken;          // put by the worker itself; taken out of bound_ready
  // a spawner suspended by a full queue; resumes when `tasks_until_resume` is 0
  suspension* paused_spawner = nullptr;
  std::uint32_t tasks_until_resume = 0;
  std::uint32_t spawn_suspension_disabled = 0;  // greater than 0: spawning must not suspend
  item first = 0;                               // the item that a fresh stack runs before it searches
  stack* running_on = nullptr;                  // null: the thread's own stack
  suspension* own_left = nullptr;               // the suspension on the thread's own stack
  const std::byte* stack_floor = nullptr;       // below this address no task runs on top of another
  const void* own_stack_bottom = nullptr;       // sanitizers
  std::size_t own_stack_bytes = 0;
  void* own_fiber = nullptr;
  saved_stack thread_stack = nullptr;              // where the thread's own stack was left, to end the thread
  void (*after_switch)(worker&, void*) = nullptr;  // runs first on the stack that was switched to
  void* after_switch_argument = nullptr;
  std::uint64_t random = 0;
  std::uint32_t ticks = 0;
  adaptive_spin spin;  // before it sleeps
  // As a thief: the deque of its latest steal request, and one that has items but whose owner may be in a long task.
  const deque* last_asked_victim = nullptr;
  const deque* victim_under_observation = nullptr;
  std::uint32_t replies_seen = 0, rounds_observed = 0;
  trace::name_cache names;
  std::source_location body;  // where run was called
  std::vector<stack*> spare_stacks;
  std::atomic<bool> asleep{false};      // parked, and past the last check for work
  std::atomic<bool> has_thread{false};  // between enter_worker and leave_worker; any thread reads it
  std::thread thread;
  alignas(base::cache_line) std::atomic<std::uint32_t> parked{0};  // futex
  std::atomic<int> core{-1};                // where it was when it last began or ended a search; any thread reads it
  std::uint64_t stays_until_ns = 0;         // until then it does not move to another core
  std::uint32_t spare_number = 0;           // of a spare worker, from 1 on; 0: it is none
  bool is_spare_running = false;            // it counts as work of a module
  inbox nearby;                             // any thread: what prefers this worker; others take it, too
  std::atomic<bool> may_step_aside{false};  // any thread: it asks before it begins anything (step_aside.hpp)
  std::atomic<bool> has_lent_cores{false};  // it runs the body of a lease (core_lease.hpp)

  void put_bound_here(item i) {
    bound_ready.push_back(i);
    ++bound_here;
  }
  /// How many ready items are bound to this worker, roughly; any thread.
  std::uint64_t bound_count() const noexcept {
    const std::uint64_t taken = bound_taken.read(), put = bound.puts() + bound_here.read();
    return (put > taken ? put - taken : 0) + bound_urgent.size();
  }

  /// The queue at `place`; made if need be.
  deque& queue_at(std::uint16_t place);
};

/// The calling thread's state, or null. Never inlined across stack switches (base::current is not).
inline thread_state* this_thread() noexcept { return static_cast<thread_state*>(base::current()); }

}  // namespace stretto::sched
