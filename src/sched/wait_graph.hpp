// telling.hpp - what the scheduler knows of who waits for what, and of whether anything can still happen.
//
// Threads     any, while the workers run: nothing is locked that a running task needs.
// Cost        a look at every stack that was ever made, and some system calls per task that waits.
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

/// After the event floor: suspended and pending tasks, scopes that are waited for, blocked threads, workers.
void add_wait_edges(scheduler& owner, base::wait_snapshot& into, base::wait_walk& walk);

/// Goes up whenever a task begins, suspends or is stolen.
std::uint64_t progress_of(const scheduler& owner) noexcept;

/// What workers and pollers do at the moment. Where two activities are equal and `is_quiet`, nothing has run between.
struct activity {
  std::uint64_t counts = 0;      // of progress, and of each time that a worker went to sleep
  std::uint32_t threads = 0;     // of the process that are known: workers, attached ones and the service thread
  bool is_quiet = false;         // all workers that have a thread, and all attached threads sleep
  bool waits_for_modules = false;
  std::vector<int> numbers = {};  // of these threads
  bool operator==(const activity&) const = default;
};
/// `of_messages`: what waits for messages of other nodes alone, and is looked at apart; null: there are none.
activity activity_of(const scheduler& owner, const poller* of_messages = nullptr) noexcept;

// Whose waiter it is; by the files that link them.
bool is_of_task(const waiter& w) noexcept;
/// A thread that is no worker, and the location of its wait, to be peeked at; null if it is none's.
struct blocked_waiter {
  const thread_state* who = nullptr;
  const std::source_location* where = nullptr;
};
blocked_waiter blocked_thread_of(const waiter& w, const void* at) noexcept;
/// Empty if it is none of a coroutine; `at` is where `w` was copied from.
std::string where_coroutine_waits(const waiter& w, const void* at);
/// The first word of that coroutine's promise object: its task record, if the coroutine returns a future.
const void* promised_by_coroutine(const void* at) noexcept;

}  // namespace stretto::sched
