// scope_counting.hpp - opens finish scopes, counts tasks in them, and wakes their waiters.
//
// Threads     any thread of the runtime, on its own behalf.
// Cost        count_spawned, count_ended: a load and a store on a worker, an atomic addition elsewhere.
#pragma once

#include "base/sanitizers.hpp"
#include "sched/scheduler.hpp"

namespace stretto::sched {

finish_scope* open_scope(thread_state& t, const std::source_location& where);
void close_scope(thread_state& t, finish_scope* scope) noexcept;

/// From now on, `scope` counts the thread's new tasks.
void enter_scope(thread_state& t, finish_scope* scope);
inline void count_spawned(thread_state& t, std::uint64_t n = 1) noexcept {
  if (t.shard) [[likely]]
    t.shard->count_spawned(n);
  else t.scope->outside.spawned.fetch_add(n, std::memory_order_acq_rel);
}
/// The part of count_ended for a thread without a shard, or in another scope.
void count_ended_elsewhere(thread_state& t, finish_scope* scope) noexcept;
void wake_scope_waiter(thread_state& t, finish_scope& scope) noexcept;
/// Counts a task of `scope` that has ended on this thread. Wakes the waiter of the scope if it was the last one.
[[gnu::always_inline]] inline void count_ended(thread_state& t, finish_scope* scope) noexcept {
  base::announce_release(scope);
  if (t.scope == scope && t.shard) [[likely]]
    t.shard->count_ended();
  else count_ended_elsewhere(t, scope);
  // The scope may be closed and reused by now; its memory is not returned, and a false alarm does no harm.
  if (scope->waiting.load(std::memory_order_relaxed)) [[unlikely]]
    wake_scope_waiter(t, *scope);
}

/// While it lives, `scope` counts the thread's new tasks.
class counted_in {
 public:
  counted_in(thread_state& t, finish_scope* scope) : thread_(t), before_(t.scope) {
    if (scope != before_) enter_scope(t, scope);
  }
  counted_in(const counted_in&) = delete;
  counted_in& operator=(const counted_in&) = delete;
  ~counted_in() {
    if (thread_.scope != before_) enter_scope(thread_, before_);
  }

 private:
  thread_state& thread_;
  finish_scope* const before_;
};

/// The same, with the scope of the whole runtime.
class outside_of_finishes : counted_in {
 public:
  explicit outside_of_finishes(thread_state& t) : counted_in(t, t.owner->root) {}
};

/// Resumes `scope.waiter`, or wakes the thread at `scope.wake`, once the scope is quiet.
void register_waiting(thread_state& t, finish_scope& scope) noexcept;
/// Calls `then` once, when all counted tasks have ended: now, or on the thread that counts the last end. No thread
/// waits, and `then` must close the scope. Only tasks of the scope that have not ended may count further tasks.
void when_quiet(thread_state& t, finish_scope& scope, void (*then)(finish_scope&, thread_state&) noexcept,
                void* about) noexcept;
/// Resumes the waiters of all scopes that have become quiet; true if there were any.
bool settle_waiting_scopes(thread_state& t) noexcept;

}  // namespace stretto::sched
