#include "event/event_trigger.hpp"

#include "base/sanitizers.hpp"

namespace stretto::detail {

void defer_firing(waiter* list, const failure* cause, event_cache& cache,
                  const base::thread_context& context) noexcept {
  if (cause) cause->add_reference();  // its owner may release it before the list is fired
  cache.deferred.push_back({list, cause, context.current_id});
}

void fire_now(waiter* list, const failure* cause, event_cache& cache, base::thread_context& context) noexcept {
  cache.firing = true;
  const failure* kept = nullptr;
  const std::uint64_t outermost = context.current_id;
  for (;;) {
    do {
      waiter* next = list->next;  // firing may end the waiter's life
      __builtin_prefetch(next);
      base::announce_acquire(list);  // who waits has written it
      list->fire(*list, cause, context);
      list = next;
    } while (list);
    if (kept) kept->release();
    if (cache.deferred.empty()) break;
    list = cache.deferred.back().list;
    cause = kept = cache.deferred.back().cause;
    context.current_id = cache.deferred.back().ended_by;
    cache.deferred.pop_back();
  }
  context.current_id = outermost;
  cache.firing = false;
}

void fire_all(waiter* list, const failure* cause, base::thread_context& context) noexcept {
  if (list) fire(list, cause, event_cache::of(context), context);
}

bool poison_slot(slot& s, std::uint32_t generation, failure_ref cause, ended_by who, event_cache& cache,
                 base::thread_context& context) noexcept {
  const failure* held = cause.get();
  base::announce_release(&s);
  std::uint64_t before;
  {
    std::scoped_lock lock(cache.table->poison_lock);
    before = s.word.load(std::memory_order_acquire);
    if (slot::generation_in(before) != generation) return false;
    // Add the record first: a thread that sees the new generation must find it.
    auto* record = cache.table->remember(s, generation, std::move(cause));
    const auto next = record->depth >= most_poisons ? last_generation : generation + 1;
    do {
      if (slot::generation_in(before) != generation) {
        record->generation.store(void_record, std::memory_order_relaxed);
        return false;
      }
    } while (!s.word.compare_exchange_weak(before, slot::word_of(next), std::memory_order_seq_cst,
                                           std::memory_order_acquire));
  }
  after_end(s, generation, before, held, who, cache, context);
  return true;
}

}  // namespace stretto::detail
