#include "event/event_floor.hpp"

#include <stretto/error.hpp>

#include <memory>

#include "base/order_observer.hpp"
#include "event/derived_event.hpp"
#include "event/misuse.hpp"

namespace stretto::detail {

void start_events(base::runtime_context& runtime) {
  runtime.set(base::floor_slot::event, new event_table(runtime.node));
}

void stop_events(base::runtime_context& runtime) noexcept {
  delete runtime.get<event_table>(base::floor_slot::event);
  runtime.set(base::floor_slot::event, nullptr);
}

void enter_events(base::thread_context& thread) {
  auto* table = thread.runtime->get<event_table>(base::floor_slot::event);
  auto cache = std::make_unique<event_cache>(*table);
  table->enter(*cache);
  thread.set(base::floor_slot::event, cache.release());
}

void leave_events(base::thread_context& thread) noexcept {
  auto* cache = thread.get<event_cache>(base::floor_slot::event);
  cache->table->leave(*cache);
  delete cache;
  thread.set(base::floor_slot::event, nullptr);
}

void set_remote_owner(base::runtime_context& runtime, remote_owner* owner) noexcept {
  runtime.get<event_table>(base::floor_slot::event)->remote.store(owner, std::memory_order_release);
}

void report_unobserved_to(base::runtime_context& runtime, void (*report)(void* receiver, failure_ref),
                          void* receiver) noexcept {
  auto& table = *runtime.get<event_table>(base::floor_slot::event);
  table.unobserved_receiver = receiver;
  table.unobserved.store(report, std::memory_order_release);
}

void report(const failure_ref& f, base::thread_context& context) noexcept { event_cache::of(context).table->report(f); }

bool subscribe(dependency d, waiter& w, base::thread_context& context) {
  return subscribe(d, w, event_cache::of(context), context);
}

failure_ref cause_of(dependency d, base::thread_context& context) { return cause_of(d, event_cache::of(context)); }

bool has_ended(dependency d, base::thread_context& context) { return has_ended(d, event_cache::of(context)); }

event make_event(base::thread_context& context, const std::source_location& where) {
  auto& cache = event_cache::of(context);
  slot& s = cache.create(where);
  s.claim.store(s.claim.load(std::memory_order_relaxed) | slot::of_operation, std::memory_order_relaxed);
  return cache.handle(s);
}

void end_event(event e, failure_ref cause, base::thread_context& context, const std::source_location& where) {
  auto& cache = event_cache::of(context);
  if (!cache.is_local(e) || e == event()) [[unlikely]] {
    if (e == event()) refuse_second_end(e, cache, where);
    return owner_of(e, cache).forward_end(e, std::move(cause), context, where);
  }
  slot& s = cache.table->at(e);
  const auto generation = generation_of(e);
  const bool done = !s.is_claimed(generation) &&
                    (cause ? poison_slot(s, generation, std::move(cause), ended_by::program, cache, context)
                           : trigger_slot(s, generation, ended_by::program, cache, context));
  if (!done) [[unlikely]]
    refuse_second_end(e, cache, where);
}

event event_of(completion& c, base::thread_context& context, const std::source_location& where) {
  if (c.is_done() && !c.cause()) {
    if (!context.observer) return {};
    const dependency d(c);
    return make_observed({&d, 1}, event(), event_cache::of(context), context, where);
  }
  const event e = make_follower(dependency(c), role::follow, event_cache::of(context), context, where);
  if (context.observer) context.observer->merges(e.raw(), {&c, 0});
  return e;
}

event_statistics event_statistics_of(const base::runtime_context& runtime) {
  return runtime.get<event_table>(base::floor_slot::event)->statistics();
}

failure_ref make_failure(std::exception_ptr exception, std::string who, const std::source_location& where) {
  return failure_ref::adopt(new failure(std::move(exception), std::move(who), where));
}

}  // namespace stretto::detail
