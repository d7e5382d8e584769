#include "event/misuse.hpp"

#include <stretto/error.hpp>

namespace stretto::detail {

void refuse_second_end(event e, event_cache& cache, const std::source_location& where) {
  if (e == event())
    throw error("E04", "the default event was triggered")
        .fact("triggered", where)
        .because("a user_event made without create() is the default event, which has always triggered")
        .remedy("make it with user_event::create()");
  const slot& s = cache.table->at(e);
  const bool pending = s.generation_now() == generation_of(e);
  error refusal("E01", to_string(e) + (pending ? " was triggered although a deferred trigger is pending"
                                               : " was triggered a second time"));
  // The slot has the location of the last event created in it; after reuse that is another event.
  if (s.is_latest(generation_of(e))) refusal.fact("created", s.where.load(std::memory_order_relaxed));
  throw std::move(refusal)
      .fact("triggered", where)
      .because("an event triggers or is poisoned at most once")
      .remedy("give each event one owner that triggers it");
}

void refuse_wait_cycle(event e, event awaited, event_cache& cache, const std::source_location& where) {
  const auto created = [&cache](event which) {
    return short_location(cache.table->at(which).where.load(std::memory_order_relaxed));
  };
  error refusal("E02", to_string(e) + " would wait for itself");
  refusal.fact("created", created(e)).fact("called", where);
  if (awaited != e) {
    refusal.fact("awaited", to_string(awaited) + ", created " + created(awaited))
        .because(to_string(awaited) + " triggers only after " + to_string(e));
  } else {
    refusal.because("the precondition is the event itself");
  }
  throw std::move(refusal).remedy("break the cycle: one of these events must not wait for the others");
}

}  // namespace stretto::detail
