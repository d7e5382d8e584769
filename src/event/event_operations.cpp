// event_operations.cpp - the members and functions of <stretto/event.hpp>.

#include <stretto/event.hpp>

#include <new>

#include "base/node_numbers.hpp"
#include "base/order_observer.hpp"
#include "event/calling_thread.hpp"
#include "event/derived_event.hpp"
#include "event/misuse.hpp"
#include "event/table_waiter.hpp"
#include "event/wait_cycle.hpp"

namespace stretto {

using namespace detail;

bool event::has_triggered() const {
  if (*this == event()) return true;
  auto& context = caller("event::has_triggered");
  if (!has_ended(*this, context)) return false;
  if (context.observer) context.observer->waited({nullptr, raw()}, context);
  return true;
}

bool event::is_poisoned() const {
  if (*this == event()) return false;
  auto& context = caller("event::is_poisoned");
  if (!has_ended(*this, context)) return false;
  if (context.observer) context.observer->waited({nullptr, raw()}, context);
  return static_cast<bool>(cause_of(*this, context));
}

wait_result event::result() const {
  if (*this == event()) return {};
  auto& context = caller("event::result");
  if (!has_ended(*this, context)) return {};
  if (context.observer) context.observer->waited({nullptr, raw()}, context);
  const failure_ref cause = cause_of(*this, context);
  return cause ? wait_result(cause->as_exception()) : wait_result();
}

std::string to_string(event e) {
  if (e == event()) return "E-";
  const std::string node = node_of(e) ? base::node_name(node_of(e)) + ":" : std::string();
  return node + "E" + std::to_string(slot_of(e)) + "." + std::to_string(generation_of(e));
}

user_event user_event::create(std::source_location where) {
  auto& cache = event_cache::of(caller("user_event::create"));
  return user_event(cache.handle(cache.create(where)));
}

void user_event::trigger(std::source_location where) const {
  auto& context = caller("user_event::trigger");
  auto& cache = event_cache::of(context);
  const auto generation = generation_of(*this);
  if (cache.is_local(*this)) [[likely]] {
    slot& s = cache.table->at(*this);
    if (!s.is_claimed(generation) && trigger_slot(s, generation, ended_by::program, cache, context)) return;
  }
  end_event(*this, {}, context, where);  // throws the right error, or forwards it
}

void user_event::poison(std::exception_ptr why, std::source_location where) const {
  auto& context = caller("user_event::poison");
  end_event(*this, make_failure(std::move(why), "event " + to_string(*this), where), context, where);
}

namespace {

/// Forwards the end of a precondition to an event of another node.
void forward_after(event target, event precondition, base::thread_context& context, const std::source_location& where) {
  auto& cache = event_cache::of(context);
  owner_of(target, cache);
  has_ended(precondition, cache);  // refuses foreign events before anything has changed
  waiter& w = make_table_waiter(
      [target, where](const failure* cause, base::thread_context& on) {
        owner_of(target, event_cache::of(on)).forward_end(target, failure_ref::share(cause), on, where);
      },
      context);
  if (!subscribe(dependency(precondition), w, context)) w.fire(w, cause_of(precondition, context).get(), context);
}

}  // namespace

void user_event::trigger(event precondition, std::source_location where) const {
  auto& context = caller("user_event::trigger");
  auto& cache = event_cache::of(context);
  if (*this == event()) refuse_second_end(*this, cache, where);
  if (!cache.is_local(*this)) return forward_after(*this, precondition, context, where);
  if (has_ended(precondition, cache)) return end_event(*this, cause_of(precondition, cache), context, where);

  slot& s = cache.table->at(*this);
  const auto generation = generation_of(*this);
  const auto word = s.word.load(std::memory_order_acquire);
  if (slot::generation_in(word) != generation || s.is_claimed(generation)) refuse_second_end(*this, cache, where);
  const bool something_waits = slot::list_in(word) || s.is_marked();
  if (precondition == *this || (something_waits && leads_to(precondition, *this, cache)))
    refuse_wait_cycle(*this, precondition, cache, where);

  auto unclaimed = slot::claim_of(generation, role::none);
  if (!s.claim.compare_exchange_strong(unclaimed, slot::claim_of(generation, role::taken), std::memory_order_seq_cst) ||
      slot::generation_in(s.word.load(std::memory_order_seq_cst)) != generation)
    refuse_second_end(*this, cache, where);
  s.link[0].store(precondition.raw(), std::memory_order_release);
  s.claim.store(slot::claim_of(generation, role::follow), std::memory_order_release);
  wait_for(s, precondition, fire_follow, cache, context);
}

event merge(std::span<const event> inputs, std::source_location where) {
  return make_merge(inputs, caller("merge"), where);
}

event merge(std::initializer_list<event> inputs, std::source_location where) {
  return merge(std::span(inputs.begin(), inputs.size()), where);
}

event merge(event a, event b, std::source_location where) {
  const event both[]{a, b};
  return merge(std::span(both), where);
}

event merge_dependencies(std::span<const dependency> inputs, std::source_location where) {
  return make_merge(inputs, caller("merge_dependencies"), where);
}

event ignore_failure(event e, std::source_location where) {
  if (e == event()) return e;
  auto& context = caller("ignore_failure");
  auto& cache = event_cache::of(context);
  if (has_ended(e, cache)) {
    if (!context.observer) return {};
    const dependency d(e);
    return make_observed({&d, 1}, event(), cache, context, where);
  }
  const event either_way = make_follower(e, role::survive, cache, context, where);
  if (context.observer) context.observer->merges(either_way.raw(), {nullptr, e.raw()});
  return either_way;
}

event_statistics current_event_statistics() {
  return event_cache::of(caller("current_event_statistics")).table->statistics();
}

}  // namespace stretto
