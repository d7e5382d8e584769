#include "data/deferred.hpp"

#include <vector>

#include "base/count_down.hpp"
#include "base/order_observer.hpp"
#include "base/snapshot_read.hpp"

namespace stretto::data {

namespace {

/// Calls body for all preconditions, in their order.
template <class Body>
void for_each_dependency(const preconditions& after, std::span<const event> also, Body&& body) {
  for (const dependency& d : after.dependencies) body(d);
  for (const event& e : after.events) body(dependency(e));
  for (const event& e : also) body(dependency(e));
}

bool has_always_happened(const dependency& d) noexcept { return !d.task() && d.as_event().raw() == 0; }

}  // namespace

precondition_state state_of_preconditions(const preconditions& after, std::span<const event> also,
                                          base::thread_context& context) {
  precondition_state o;
  for_each_dependency(after, also, [&](const dependency& d) {
    if (has_always_happened(d) || o.pending) return;
    if (!detail::has_ended(d, context)) o.pending = true;
    else if (!o.cause) o.cause = detail::cause_of(d, context);
  });
  return o;
}

void deferred::arm(const preconditions& after, std::span<const event> also, base::thread_context& context,
                   std::span<const event> order) {
  std::array<dependency, 4> direct{event{}, event{}, event{}, event{}};
  std::size_t n = 0, needed = 0;
  const auto one = [&](const dependency& d) {
    if (has_always_happened(d)) return;
    if (n < direct.size()) direct[n] = d;
    ++n;
  };
  for_each_dependency(after, also, one);
  needed = n;
  for (const event& e : order) one(dependency(e));
  if (n > direct.size()) {
    std::vector<dependency> all;
    for_each_dependency(after, also, [&](const dependency& d) { all.push_back(d); });
    // An internal merge is not reported to the order observer.
    const base::unobserved here(context);
    direct[0] = merge_dependencies(all);
    direct[1] = merge(order);
    needed = 1, n = 2;
  }
  for (std::size_t i = 0; i < n; ++i) link_to(direct[i], i, i < needed ? on_end : on_end_either_way, context);
  arrived(context);
}

void deferred::arm(std::span<const event> after, base::thread_context& context, std::span<const event> order) {
  if (after.size() + order.size() > links_.size()) return arm(after_range{after}, {}, context, order);
  std::size_t n = 0;
  for (const event e : after)
    if (e.raw() != 0) link_to(e, n++, on_end, context);
  for (const event e : order)
    if (e.raw() != 0) link_to(e, n++, on_end_either_way, context);
  arrived(context);
}

void deferred::link_to(const dependency& d, std::size_t n, waiter::fire_function on_fire,
                       base::thread_context& context) {
  link& mine = links_[n];
  mine.fire = on_fire;
  mine.owner = this;
  unended_.fetch_add(1, std::memory_order_relaxed);
  if (detail::subscribe(d, mine, context)) return;
  if (on_fire == on_end) mine.cause = detail::cause_of(d, context);
  unended_.fetch_sub(1, std::memory_order_relaxed);  // arm's own count keeps it above zero
}

void deferred::on_end(waiter& self, const failure* cause, base::thread_context& context) noexcept {
  auto& l = static_cast<link&>(self);
  l.cause = failure_ref::share(cause);
  l.owner->arrived(context);
}

void deferred::on_end_either_way(waiter& self, const failure*, base::thread_context& context) noexcept {
  static_cast<link&>(self).owner->arrived(context);
}

const deferred* deferred::owner_of(const waiter& w, const void* at) noexcept {
  if (w.fire != on_end && w.fire != on_end_either_way) return nullptr;
  const base::snapshot_copy<link> mine(static_cast<const link*>(static_cast<const waiter*>(at)));
  return mine ? mine->owner : nullptr;
}

void deferred::arrived(base::thread_context& context) noexcept {
  if (!base::count_down(unended_)) return;
  failure_ref cause;
  for (link& l : links_)
    if (l.cause && !cause) cause = std::move(l.cause);
  start(*this, std::move(cause), context);
}

}  // namespace stretto::data
