// finish_scope.hpp - counts the tasks spawned and ended inside one finish, without a shared counter.
//
// Every worker counts in a cache line of its own with plain stores. The reader sums all ended counts, then all spawned
// counts: equal sums prove that no task was left at the moment between the two sums.
//
// Threads     spawned, ended: any thread of the runtime. is_quiet: any. The rest: the task that opened the scope.
// Cost        spawned, ended: a load and a store. is_quiet: two loads per worker that took part.
// Invariants  (1) a task's children are counted as spawned before the task is counted as ended. (2) memory of scopes
//             and shards is recycled, never freed while the runtime lives: a late reader of `waiting` is harmless.
// Source      termination detection by counting: Mattern, "Algorithms for distributed termination detection", 1987.
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <source_location>

#include "base/config.hpp"
#include "sched/failure_list.hpp"

namespace stretto::sched {

struct thread_state;
struct worker;
struct suspension;
struct task_record;

struct alignas(base::cache_line) scope_shard {
  std::atomic<std::uint64_t> spawned{0}, ended{0};
  // One writer, so no read-modify-write.
  void count_spawned(std::uint64_t n = 1) noexcept {
    spawned.store(spawned.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void count_ended() noexcept { ended.store(ended.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
};

struct alignas(base::cache_line) finish_scope {
  // Overwritten while the scope's memory lies in a free list.
  finish_scope* outer;
  finish_scope* next_waiting;  // in the scheduler's list of scopes with a waiter
  suspension* waiter;          // null: a blocked thread
  // For one use of the memory.
  std::source_location where;
  std::atomic<const task_record*> opener;  // null: no task, or one that does not wait; for reports
  failure_list failures;                   // of its tasks
  std::atomic<std::uint32_t> wake;         // a blocked thread's futex
  // called once when quiet, in place of a waiter; else null
  std::atomic<void (*)(finish_scope&, thread_state&) noexcept> then;
  void* about;
  // For all uses of the memory, which starts as zeros. A quiet scope's sums are equal, so the next use goes on
  // counting; and a worker's cached pointer to its shard stays valid across reuse.
  std::atomic<bool> waiting;         // a waiter or `then` is registered; false in a closed scope
  worker* first_worker;              // counts in `own`: the first worker to open it
  std::atomic<scope_shard*> others;  // one per worker, made when a second worker takes part
  scope_shard own;
  scope_shard outside;  // threads that are not workers; read-modify-write

  void open(worker* here, finish_scope* enclosing, const std::source_location& opened, const task_record* by) noexcept {
    outer = enclosing;
    next_waiting = nullptr;
    waiter = nullptr;
    where = opened;
    opener.store(by, std::memory_order_relaxed);
    new (&failures) failure_list;
    wake.store(0, std::memory_order_relaxed);
    then.store(nullptr, std::memory_order_relaxed);
    about = nullptr;
    if (!first_worker) first_worker = here;
  }

  bool is_quiet(std::uint32_t workers) const noexcept {
    const scope_shard* shards = others.load(std::memory_order_acquire);
    std::uint64_t ended = own.ended.load(std::memory_order_acquire) + outside.ended.load(std::memory_order_acquire);
    if (shards)
      for (std::uint32_t i = 0; i < workers; ++i) ended += shards[i].ended.load(std::memory_order_acquire);
    // A worker that joined since the first load is seen now, and then the sums differ.
    shards = others.load(std::memory_order_acquire);
    std::uint64_t spawned =
        own.spawned.load(std::memory_order_acquire) + outside.spawned.load(std::memory_order_acquire);
    if (shards)
      for (std::uint32_t i = 0; i < workers; ++i) spawned += shards[i].spawned.load(std::memory_order_acquire);
    return spawned == ended;
  }
};

}  // namespace stretto::sched
