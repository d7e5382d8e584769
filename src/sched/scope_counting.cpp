#include "sched/scope_counting.hpp"

#include <memory>
#include <mutex>

#include "base/asymmetric_fence.hpp"
#include "base/futex.hpp"
#include "sched/ready_queues.hpp"

namespace stretto::sched {
namespace {

scope_shard* shard_of(worker& w, finish_scope& scope) {
  if (scope.first_worker == &w) return &scope.own;
  scope_shard* shards = scope.others.load(std::memory_order_acquire);
  if (!shards) {
    auto* made = static_cast<scope_shard*>(w.shards.allocate());
    for (std::size_t i = 0; i < w.owner->shard_count(); ++i) new (&made[i]) scope_shard;
    if (scope.others.compare_exchange_strong(shards, made, std::memory_order_acq_rel, std::memory_order_acquire))
      shards = made;
    else w.shards.free(made);
  }
  return &shards[w.index];
}

}  // namespace

finish_scope* open_scope(thread_state& t, const std::source_location& where) {
  auto* scope = static_cast<finish_scope*>(t.scopes.allocate());
  scope->open(t.as_worker, t.scope, where, t.current);
  return scope;
}

void close_scope(thread_state& t, finish_scope* scope) noexcept {
  std::destroy_at(&scope->failures);
  t.scopes.free(scope);
}

void enter_scope(thread_state& t, finish_scope* scope) {
  t.scope = scope;
  t.shard = t.as_worker && scope ? shard_of(*t.as_worker, *scope) : nullptr;
}

void count_ended_elsewhere(thread_state& t, finish_scope* scope) noexcept {
  if (worker* w = t.as_worker) shard_of(*w, *scope)->count_ended();
  else scope->outside.ended.fetch_add(1, std::memory_order_acq_rel);
}

namespace {

/// A worker counts an end, then reads `waiting`; a waiter sets `waiting`, then reads the counts. True if a heavy fence
/// of the waiter orders both, so that the worker needs none.
bool has_heavy_fence() noexcept { return !base::thread_sanitizer && base::asymmetric::by_kernel; }

bool is_quiet(const thread_state& t, const finish_scope& scope) noexcept {
  return scope.is_quiet(t.owner->shard_count());
}

/// Several threads may see the last end; exactly one calls `then`. A late thread may find the memory in its next use,
/// so it takes `then` first and checks the counts afterwards.
void call_on_quiet_once(thread_state& t, finish_scope& scope) noexcept {
  do {
    const auto then = scope.then.exchange(nullptr, std::memory_order_seq_cst);
    if (!then) return;
    if (is_quiet(t, scope)) {
      scope.waiting.store(false, std::memory_order_relaxed);
      base::announce_acquire(&scope);
      return then(scope, t);
    }
    scope.then.store(then, std::memory_order_seq_cst);
    base::asymmetric::heavy();
  } while (is_quiet(t, scope));
}

}  // namespace

void wake_scope_waiter(thread_state& t, finish_scope& scope) noexcept {
  // Two loads per worker avoid the lock for all but the last end.
  if (!is_quiet(t, scope)) return;
  if (has_heavy_fence() && scope.then.load(std::memory_order_relaxed)) call_on_quiet_once(t, scope);
  else settle_waiting_scopes(t);
}

void when_quiet(thread_state& t, finish_scope& scope, void (*then)(finish_scope&, thread_state&) noexcept,
                void* about) noexcept {
  scope.about = about;
  scope.opener.store(nullptr, std::memory_order_relaxed);  // the opener goes on, and its record will be reused
  if (!has_heavy_fence()) {
    scope.then.store(then, std::memory_order_relaxed);
    return register_waiting(t, scope);
  }
  scope.waiting.store(true, std::memory_order_seq_cst);
  scope.then.store(then, std::memory_order_seq_cst);  // from here on `then` may be called, and the memory reused
  base::asymmetric::heavy();
  if (is_quiet(t, scope)) call_on_quiet_once(t, scope);
}

void register_waiting(thread_state& t, finish_scope& scope) noexcept {
  scheduler& owner = *t.owner;
  {
    std::scoped_lock lock(owner.waiting_mutex);
    scope.next_waiting = owner.waiting_scopes;
    owner.waiting_scopes = &scope;
    owner.waiting_count.fetch_add(1, std::memory_order_seq_cst);
    scope.waiting.store(true, std::memory_order_seq_cst);
  }
  settle_waiting_scopes(t);
}

bool settle_waiting_scopes(thread_state& t) noexcept {
  scheduler& owner = *t.owner;
  finish_scope* quiet = nullptr;
  {
    std::scoped_lock lock(owner.waiting_mutex);
    for (finish_scope** link = &owner.waiting_scopes; *link;) {
      finish_scope* scope = *link;
      if (scope->is_quiet(owner.shard_count())) {
        *link = scope->next_waiting;
        scope->waiting.store(false, std::memory_order_relaxed);
        owner.waiting_count.fetch_sub(1, std::memory_order_relaxed);
        scope->next_waiting = quiet;
        quiet = scope;
      } else {
        link = &scope->next_waiting;
      }
    }
  }
  const bool any = quiet;
  while (quiet) {
    finish_scope* scope = quiet;
    quiet = scope->next_waiting;
    if (scope->then.load(std::memory_order_relaxed)) base::announce_acquire(scope);
    if (const auto then = scope->then.load(std::memory_order_relaxed)) then(*scope, t);
    else if (scope->waiter) make_ready(t, *scope->waiter);
    else base::futex_store_and_wake(scope->wake, 1);
  }
  return any;
}

}  // namespace stretto::sched
