// wait_graph.hpp - the scheduler's part of the wait graph of a hang report, and whether the runtime makes progress.
//
// Threads     any, while the workers run: it locks nothing that a running task needs.
// Cost        a visit of every stack that was ever made, and some system calls per waiting task.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <vector>

#include "base/wait_snapshot.hpp"
#include "event/waiter.hpp"

namespace stretto {
class poller;
}

namespace stretto::sched {

struct scheduler;
struct thread_state;

/// Adds suspended and pending tasks, finish scopes with a waiter, blocked threads, and workers. Called after the event
/// floor's add_wait_edges.
void add_wait_edges(scheduler& owner, base::wait_snapshot& into, base::wait_walk& walk);

/// A count that rises whenever a task begins, suspends or is stolen.
std::uint64_t progress_of(const scheduler& owner) noexcept;

/// The activity of workers and pollers at the moment. If two snapshots are equal and `is_quiet`, nothing has run
/// between.
struct activity {
  std::uint64_t counts = 0;   // progress_of, plus how often workers went to sleep
  std::uint32_t threads = 0;  // known threads of the process: workers, attached ones and the service thread
  bool is_quiet = false;      // all workers that have a thread, and all attached threads sleep
  bool waits_for_modules = false;
  std::vector<int> numbers = {};  // of these threads
  bool operator==(const activity&) const = default;
};
/// `of_messages`: the poller that only waits for messages of other nodes, which the caller examines separately; or
/// null.
activity activity_of(const scheduler& owner, const poller* of_messages = nullptr) noexcept;

// The kind of a waiter; defined in the files that link such waiters.
bool is_of_task(const waiter& w) noexcept;
/// A thread that is not a worker, and the location of its wait, to be read with base::snapshot_copy; null for other
/// waiters.
struct blocked_waiter {
  const thread_state* who = nullptr;
  const std::source_location* where = nullptr;
};
blocked_waiter blocked_thread_of(const waiter& w, const void* at) noexcept;
/// Empty if the waiter is not a coroutine's; `at` is the address that `w` was copied from.
std::string where_coroutine_waits(const waiter& w, const void* at);
/// The first word of that coroutine's promise object: its task record, if the coroutine returns a future.
const void* promised_by_coroutine(const void* at) noexcept;

}  // namespace stretto::sched
