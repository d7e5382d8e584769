#include "event/derived_event.hpp"

#include <stretto/error.hpp>

#include <vector>

#include "base/order_observer.hpp"

namespace stretto::detail {

remote_owner& owner_of(event e, event_cache& cache) {
  if (auto* owner = cache.table->remote.load(std::memory_order_acquire); owner && owner->reaches(e)) return *owner;
  throw error("E03", to_string(e) + " belongs to another runtime")
      .fact("its node", std::to_string(node_of(e)))
      .fact("this node", std::to_string(cache.node))
      .because("independent runtimes of one process share no events")
      .remedy("use an event on the runtime that made it, or wait for it there");
}

bool has_ended(dependency d, event_cache& cache) {
  if (auto* task = d.task()) return task->is_done();
  const event e = d.as_event();
  if (cache.is_local(e)) return cache.table->at(e).has_ended(generation_of(e));
  if (e == event()) return true;
  return owner_of(e, cache).query(e).state != remote_owner::state::pending;
}

failure_ref cause_of(dependency d, event_cache& cache) {
  if (auto* task = d.task()) return failure_ref::share(task->cause());
  const event e = d.as_event();
  if (e == event()) return {};
  if (cache.is_local(e)) return failure_ref::share(cache.table->at(e).cause(generation_of(e)));
  return owner_of(e, cache).query(e).cause;
}

bool subscribe(dependency d, waiter& w, event_cache& cache, base::thread_context& context) {
  if (auto* task = d.task()) return task->subscribe(w);
  const event e = d.as_event();
  if (e == event()) return false;
  if (cache.is_local(e)) return cache.table->at(e).subscribe(generation_of(e), w);
  return owner_of(e, cache).subscribe(e, w, context);
}

void wait_for(slot& s, dependency d, waiter::fire_function fire, event_cache& cache,
              base::thread_context& context) noexcept {
  s.own.fire = fire;
  base::announce_release(&s);
  if (!subscribe(d, s.own, cache, context)) fire(s.own, cause_of(d, cache).get(), context);
}

void fire_follow(waiter& self, const failure* cause, base::thread_context& context) noexcept {
  finish(slot::of(self), cause, event_cache::of(context), context);
}

namespace {

void fire_survive(waiter& self, const failure*, base::thread_context& context) noexcept {
  finish(slot::of(self), nullptr, event_cache::of(context), context);
}

void release_task(dependency d) noexcept {
  if (auto* task = d.task()) task->release();
}

/// Two inputs stay in the slot until both have ended.
void advance_both(slot& s, event_cache& cache, base::thread_context& context) noexcept {
  const dependency first = from_bits(s.link[0].load(std::memory_order_relaxed));
  const dependency second = from_bits(s.link[1].load(std::memory_order_relaxed));
  base::announce_acquire(&s);  // the memory of threads that advanced it before
  base::announce_release(&s);
  if (subscribe(second, s.own, cache, context)) return;
  base::announce_release(&s);  // the second has ended
  if (subscribe(first, s.own, cache, context)) return;
  failure_ref cause = cause_of(first, cache);
  if (!cause) cause = cause_of(second, cache);
  release_task(first);
  release_task(second);
  finish(s, cause.get(), cache, context);
}

void fire_both(waiter& self, const failure*, base::thread_context& context) noexcept {
  advance_both(slot::of(self), event_cache::of(context), context);
}

enum class input_state { pending, triggered, poisoned };

/// Checks an input once; sets `cause` if it is poisoned. The common case, an event of this node, comes first and
/// touches no reference counts.
inline input_state check_input(dependency d, failure_ref& cause, event_cache& cache) {
  if (const event e = d.as_event(); cache.is_local(e)) [[likely]] {
    const slot& s = cache.table->at(e);
    if (!s.has_ended(generation_of(e))) return input_state::pending;
    if (!s.poisons.load(std::memory_order_acquire)) [[likely]]
      return input_state::triggered;
    const failure* found = s.cause(generation_of(e));
    if (!found) return input_state::triggered;
    cause = failure_ref::share(found);
    return input_state::poisoned;
  }
  if (!has_ended(d, cache)) return input_state::pending;
  failure_ref found = cause_of(d, cache);
  if (!found) return input_state::triggered;
  cause = std::move(found);
  return input_state::poisoned;
}

void advance_all(slot& s, event_cache& cache, base::thread_context& context) noexcept {
  base::announce_acquire(&s);  // the memory of threads that advanced it before
  auto* block = reinterpret_cast<merge_block*>(s.link[0].load(std::memory_order_relaxed));
  auto left = static_cast<unsigned>(s.link[1].load(std::memory_order_relaxed));
  failure_ref cause = failure_ref::adopt(std::exchange(block->cause, nullptr));
  for (;;) {
    while (left) {
      const dependency d = from_bits(block->inputs[left - 1].load(std::memory_order_relaxed));
      if (check_input(d, cause, cache) == input_state::pending) [[unlikely]] {
        // After subscribe() another thread may own the slot: store its state before.
        base::announce_release(&s);
        block->cause = cause.detach();
        s.link[0].store(reinterpret_cast<std::uintptr_t>(block), std::memory_order_release);
        s.link[1].store(left, std::memory_order_release);
        if (subscribe(d, s.own, cache, context)) return;
        cause = failure_ref::adopt(std::exchange(block->cause, nullptr));
        continue;
      }
      release_task(d);
      --left;
    }
    merge_block* next = block->next.load(std::memory_order_relaxed);
    s.link[0].store(reinterpret_cast<std::uintptr_t>(next), std::memory_order_release);  // before it is recycled
    cache.blocks.push(block);
    if (!next) break;
    block = next;
    left = merge_block::capacity;
  }
  finish(s, cause.get(), cache, context);
}

void fire_all_inputs(waiter& self, const failure*, base::thread_context& context) noexcept {
  advance_all(slot::of(self), event_cache::of(context), context);
}

/// Keeps an input that the merge will check later: adds a reference to a task, or subscribes at a remote owner.
void retain_input(dependency d, event_cache& cache) {
  if (auto* task = d.task()) task->add_reference();
  else if (const event e = d.as_event(); !cache.is_local(e)) owner_of(e, cache).express_interest(e);
}

/// The inputs of a merge that is being made; releases them if making it throws.
class input_chain {
 public:
  explicit input_chain(event_cache& cache) noexcept : cache_(cache) {}
  input_chain(const input_chain&) = delete;
  ~input_chain() {
    while (block_) {
      while (used_) release_task(from_bits(block_->inputs[--used_].load(std::memory_order_relaxed)));
      used_ = merge_block::capacity;
      cache_.blocks.push(std::exchange(block_, block_->next.load(std::memory_order_relaxed)));
    }
  }

  void append(dependency d) {
    if (!cache_.is_local(d.as_event())) [[unlikely]]
      retain_input(d, cache_);
    if (!block_ || used_ == merge_block::capacity) {
      merge_block& b = cache_.create_block();
      b.cause = nullptr;
      b.next.store(block_, std::memory_order_release);
      block_ = &b;
      used_ = 0;
    }
    block_->inputs[used_++].store(bits_of(d), std::memory_order_release);
  }

  void move_to(slot& s) noexcept {
    s.link[0].store(reinterpret_cast<std::uintptr_t>(std::exchange(block_, nullptr)), std::memory_order_release);
    s.link[1].store(used_, std::memory_order_release);
  }

 private:
  event_cache& cache_;
  merge_block* block_ = nullptr;
  unsigned used_ = 0;
};

/// Whether `d` has triggered, so that a merge can ignore it.
inline bool is_settled(dependency d, event_cache& cache) {
  if (const event e = d.as_event(); cache.is_local(e)) [[likely]] {
    slot& s = cache.table->at(e);
    if (s.has_ended(generation_of(e))) return !s.cause(generation_of(e));
    s.mark();
    return false;
  }
  return has_ended(d, cache) && !cause_of(d, cache);
}

}  // namespace

event make_follower(dependency d, role r, event_cache& cache, base::thread_context& context,
                    const std::source_location& where) {
  slot& s = cache.create(where);
  const event e = cache.handle(s);
  s.link[0].store(bits_of(d), std::memory_order_release);
  s.claim.store(slot::claim_of(generation_of(e), r), std::memory_order_release);
  wait_for(s, d, r == role::survive ? fire_survive : fire_follow, cache, context);
  return e;
}

namespace {
base::awaited as_awaited(const dependency& d) noexcept { return {d.task(), d.task() ? 0 : d.as_event().raw()}; }
}  // namespace

event make_observed(std::span<const dependency> inputs, dependency pending, event_cache& cache,
                    base::thread_context& context, const std::source_location& where) {
  event e;
  if (pending.task() || pending.as_event() != event()) {
    e = make_follower(pending, role::follow, cache, context, where);
  } else {
    e = cache.handle(cache.create(where));
    end_event(e, {}, context, where);
  }
  for (const dependency& d : inputs) context.observer->merges(e.raw(), as_awaited(d));
  return e;
}

template <class Input>
event make_merge(std::span<const Input> inputs, base::thread_context& context, const std::source_location& where) {
  auto& cache = event_cache::of(context);
  // Inputs that have triggered are ignored. `kept` counts the others; up to two need no chain.
  std::size_t kept = 0;
  dependency first = event(), second = event();
  input_chain chain(cache);
  for (const Input& input : inputs) {
    const dependency d(input);
    if (is_settled(d, cache)) continue;
    if (kept >= 2) [[likely]] {
      if (kept == 2) chain.append(first), chain.append(second);
      chain.append(d);
    } else {
      (kept ? second : first) = d;
    }
    ++kept;
  }
  if (kept < 2 && context.observer && inputs.size() > kept) [[unlikely]]
    return make_observed(std::vector<dependency>(inputs.begin(), inputs.end()), first, cache, context, where);
  if (kept == 0) return {};
  if (kept == 1) return first.task() ? event_of(*first.task(), context, where) : first.as_event();

  slot& s = cache.create(where);
  const event e = cache.handle(s);
  if (context.observer)
    for (const Input& input : inputs) context.observer->merges(e.raw(), as_awaited(dependency(input)));
  if (kept == 2) {
    retain_input(first, cache);
    retain_input(second, cache);
    s.link[0].store(bits_of(first), std::memory_order_release);
    s.link[1].store(bits_of(second), std::memory_order_release);
    s.own.fire = fire_both;
    s.claim.store(slot::claim_of(generation_of(e), role::both), std::memory_order_release);
    advance_both(s, cache, context);
  } else {
    chain.move_to(s);
    s.own.fire = fire_all_inputs;
    s.claim.store(slot::claim_of(generation_of(e), role::all), std::memory_order_release);
    advance_all(s, cache, context);
  }
  return e;
}

template event make_merge(std::span<const event>, base::thread_context&, const std::source_location&);
template event make_merge(std::span<const dependency>, base::thread_context&, const std::source_location&);

}  // namespace stretto::detail
