// event_trigger.hpp - ends a slot's event: one compare-and-swap, then the slot is free and its waiters are fired.
//
// Threads     any, with their own event_cache.
// Cost        one compare-and-swap; poisoning takes a lock and one allocation.
// Invariants  the owner of the claim (see role) ends a claimed event and recycles its slot. If the program ends it at
//             the very moment of the claim, which is misuse, the slot stays with that owner, since its waiter is linked
//             in a list. Misuse can thus cost a slot, but never corrupts a list.
#pragma once

#include "event/event_table.hpp"

namespace stretto::detail {

enum class ended_by { program, claim };

/// fire() is fire_all with the cache at hand: fire_now fires the list; defer_firing queues it while this thread fires
/// another one.
void fire_now(waiter* list, const failure* cause, event_cache& cache, base::thread_context& context) noexcept;
void defer_firing(waiter* list, const failure* cause, event_cache& cache, const base::thread_context& context) noexcept;

inline void fire(waiter* list, const failure* cause, event_cache& cache, base::thread_context& context) noexcept {
  if (cache.firing) defer_firing(list, cause, cache, context);
  else fire_now(list, cause, cache, context);
}

inline void recycle(slot& s, event_cache& cache) noexcept {
  if (slot::generation_in(s.word.load(std::memory_order_relaxed)) == last_generation) [[unlikely]]
    event_cache::count(cache.retired);
  else cache.slots.push(&s);
}

inline void after_end(slot& s, std::uint32_t generation, std::uint64_t before, const failure* cause, ended_by who,
                      event_cache& cache, base::thread_context& context) noexcept {
  event_cache::count(cache.ended);
  if (who == ended_by::claim || !s.is_claimed(generation, std::memory_order_seq_cst)) [[likely]]
    recycle(s, cache);
  if (waiter* list = slot::list_in(before)) fire(list, cause, cache, context);
}

/// False, with nothing changed, if that generation had ended.
inline bool trigger_slot(slot& s, std::uint32_t generation, ended_by who, event_cache& cache,
                         base::thread_context& context) noexcept {
  base::announce_release(&s);
  auto before = s.word.load(std::memory_order_acquire);
  do {
    if (slot::generation_in(before) != generation) [[unlikely]]
      return false;
  } while (!s.word.compare_exchange_weak(before, slot::word_of(generation + 1), std::memory_order_seq_cst,
                                         std::memory_order_acquire));
  after_end(s, generation, before, nullptr, who, cache, context);
  return true;
}

bool poison_slot(slot& s, std::uint32_t generation, failure_ref cause, ended_by who, event_cache& cache,
                 base::thread_context& context) noexcept;

/// For the claim's owner: ends the slot's claimed event, or takes the slot back if the program was faster.
inline void finish(slot& s, const failure* cause, event_cache& cache, base::thread_context& context) noexcept {
  const auto generation = s.claimed_generation();
  const bool done = cause ? poison_slot(s, generation, failure_ref::share(cause), ended_by::claim, cache, context)
                          : trigger_slot(s, generation, ended_by::claim, cache, context);
  if (!done) [[unlikely]]
    recycle(s, cache);
}

}  // namespace stretto::detail
