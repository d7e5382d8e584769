// reservation_operations.cpp - operations that must be carried out where a reservation is: forwarding, execution,
// replies.

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/context.hpp"
#include "dist/remote_reservations.hpp"
#include "event/event_floor.hpp"
#include "event/event_table.hpp"
#include "event/event_trigger.hpp"

namespace stretto::dist {

using detail::reservation_state;

/// A shared acquire of another node that waits here.
struct remote_reservations::remote_reader {
  remote_reservations* of;
  detail::reservation_id id;
  call_number request;
  std::source_location where;
  rank origin;

  void operator()(const failure* gone, base::thread_context& context) const {
    if (!gone) of->complete_operation({id, action::acquire_shared, origin, request, 0, 0, where, {}}, {}, context);
    // Otherwise its node is notified by another message.
  }
};

detail::remote_acquire& remote_reservations::make_reader(const forwarded_operation& e, base::thread_context& context) {
  detail::remote_acquire& r = waiting_reader::make({this, e.id, e.request, e.where, e.origin}, context);
  r.how = detail::hold::shared;
  return r;
}

std::vector<reservation_pass::reader> remote_reservations::take_readers(reservation_state& from,
                                                                        base::thread_context& context) {
  std::vector<reservation_pass::reader> all;
  for (waiter* w = from.take_remote(); w;) {
    const remote_reader r = waiting_reader::take(*std::exchange(w, w->next), context);
    all.push_back({r.origin, r.request, r.where});
  }
  return all;
}

waiter* remote_reservations::made_readers(const reservation_pass& m, base::thread_context& context) {
  waiter* first = nullptr;
  waiter** last = &first;
  for (const reservation_pass::reader& r : m.readers) {
    *last = &make_reader({.id = m.reservation, .origin = r.origin, .request = r.request, .where = r.where}, context);
    last = &(*last)->next;
  }
  return first;
}

void remote_reservations::drop_readers(waiter* first, base::thread_context& context) noexcept {
  while (first) waiting_reader::take(*std::exchange(first, first->next), context);
}

// Shared acquires.

void remote_reservations::acquire_shared(detail::reservation_id id, detail::slot& s, base::thread_context& context) {
  forwarded_operation e{id, action::acquire_shared, job_.self(), {}, 0, 0, s.where.load(std::memory_order_relaxed), {}};
  failure_ref gone;
  bool is_held = false;
  {
    const std::scoped_lock lock(lock_);
    reservation_entry* const at = known(id);
    gone = at ? at->held->gone() : detail::gone_before(id, e.where);
    if (!gone &&
        (at->is_here || at->is_wanted)) {  // it waits here, after the acquires that have requested the reservation
      is_held = at->held->acquire_in_line(s) == reservation_state::acquire_result::now;
      if (!is_held) return;
    } else if (!gone) {
      ++at->pending_reads;
      e.request = pending_operations_.add({id, e.what, &s, {}});
    }
  }
  if (!gone && !is_held) return route(std::move(e), context);
  detail::finish(s, gone.get(), detail::event_cache::of(context), context);
}

void remote_reservations::run_deferred(const deferred_actions& after, base::thread_context& context) {
  reservation_state::hand_out(after.next, detail::event_cache::of(context), context);
  for (const auto& [e, failed] : after.done) complete_operation(e, failed, context);
  for (const pending_operation& p : after.ended) finish(p, after.why, context);
  detail::fail_waiters(after.left, after.why, context);
}

void remote_reservations::release(detail::reservation_id id, const failure* cause, detail::slot& s,
                                  base::thread_context& context, const std::source_location& where) {
  start({id, action::release, job_.self(), {}, 0, 0, where, failure_ref::share(cause)}, s, context);
}

void remote_reservations::skip_acquire(detail::reservation_id id, const failure& cause, detail::slot& s,
                                       base::thread_context& context) {
  start({id, action::skip_acquire, job_.self(), {}, 0, 0, {}, failure_ref::share(&cause)}, s, context);
}

void remote_reservations::release_skipped(detail::reservation_id id, const failure& cause, detail::slot& s,
                                          base::thread_context& context) {
  start({id, action::release_skipped, job_.self(), {}, 0, 0, {}, failure_ref::share(&cause)}, s, context);
}

void remote_reservations::start(forwarded_operation e, detail::slot& s, base::thread_context& context) {
  e.request = pending_operations_.add({e.id, e.what, &s, e.cause});
  route(std::move(e), context);
}

/// Returns false if the reservation is just leaving: the operation is then forwarded after it.
bool remote_reservations::execute(const forwarded_operation& e, reservation_entry& s, deferred_actions& after,
                                  base::thread_context& context) {
  failure_ref misuse;
  switch (e.what) {
    case action::release: {
      const auto released = s.held->release(e.cause.get(), after.next);
      if (released == reservation_state::release_result::elsewhere) return false;
      if (released == reservation_state::release_result::not_held)
        misuse = detail::released_unheld(e.id, s.held->where(), e.where);
      break;
    }
    case action::skip_acquire:
      if (!s.held->skip_acquire(*e.cause.get())) return false;
      break;
    case action::acquire_shared: {
      detail::remote_acquire& reader = make_reader(e, context);
      const auto taken = s.held->acquire_for(reader);
      if (taken == reservation_state::acquire_result::later) return true;
      waiting_reader::take(reader, context);
      if (taken == reservation_state::acquire_result::after_transfer) return false;
      if (taken == reservation_state::acquire_result::never) misuse = s.held->gone();
      break;
    }
    case action::release_skipped:
      if (!s.held->release_skipped(*e.cause.get())) return false;
      break;
  }
  unsigned most = most_hops_.load(std::memory_order_relaxed);
  while (e.hops > most && !most_hops_.compare_exchange_weak(most, e.hops, std::memory_order_relaxed)) {
  }
  after.done.emplace_back(e, misuse);
  return true;
}

void remote_reservations::route(forwarded_operation e, base::thread_context& context) {
  deferred_actions after;
  std::optional<rank> next;
  {
    const std::scoped_lock lock(lock_);
    const rank home = home_of(e.id);
    reservation_entry* s = known(e.id);
    if (s && home == job_.self()) s->users.add(e.origin);
    if (!s && home == job_.self()) {
      // Destroyed meanwhile.
      after.done.emplace_back(e, e.what == action::acquire_shared ? detail::gone_before(e.id, e.where) : failure_ref());
    } else if (s && s->held->gone()) {
      after.done.emplace_back(e, s->held->gone());
    } else if (s && s->is_here) {
      if (!execute(e, *s, after, context)) return s->waiting.push_back(std::move(e));
    } else if (s && e.version > std::max(s->seen, s->passed)) {
      return s->waiting.push_back(std::move(e));
    } else if (s && s->passed) {
      next = s->passed_to;
      e.version = s->passed;
    } else {
      next = home;
    }
  }
  if (next) return send(*next, e);
  run_deferred(after, context);
}

void remote_reservations::send(rank to, const forwarded_operation& e) {
  forwarded_operation next = e;
  ++next.hops;
  job_.send(to, next);
}

void remote_reservations::on_operation(rank from, const reservation_operation& m, base::thread_context& context) {
  if (m.is_sound() && job_.rank_of(detail::home_of_reservation(m.id))) route(m, context);
  else job_.refuse_malformed(m.message, from);
}

void remote_reservations::complete_operation(const forwarded_operation& e, const failure_ref& failed,
                                             base::thread_context& context) {
  if (e.origin != job_.self()) {
    std::vector<std::byte> payload;
    if (!failed && e.what == action::acquire_shared) {
      const std::scoped_lock lock(lock_);
      if (reservation_entry* const s = known(e.id)) payload = payload_of(*s->held);  // constant while it is shared
    }
    return job_.send(e.origin, reservation_done{e.request, failed, payload});
  }
  std::optional<pending_operation> p;
  bool is_wanted = false;
  {
    const std::scoped_lock lock(lock_);
    p = pending_operations_.complete(e.request);
    if (!p) return;  // it ended with the reservation
    if (p->what == action::acquire_shared)
      if (reservation_entry* const s = known(p->id); s && --s->pending_reads == 0)
        is_wanted = s->held->has_local_waiters() && mark_wanted(*s);
  }
  finish(*p, failed, context);
  if (is_wanted) send_want(p->id, context);
}

void remote_reservations::on_done(rank, const reservation_done& m, base::thread_context& context) {
  if (!m.why) keep_payload(m.request, m.payload);
  complete_operation({.origin = job_.self(), .request = m.request}, m.why, context);
}

std::vector<std::byte> remote_reservations::payload_of(reservation_state& of) {
  const std::size_t bytes = of.payload_bytes();
  if (bytes == 0) return {};
  const auto* const first = static_cast<const std::byte*>(of.payload());
  return {first, first + bytes};
}

/// Does not write an equal payload: readers on this node may be reading it.
void remote_reservations::keep_payload(call_number request, std::span<const std::byte> payload) {
  const std::scoped_lock lock(lock_);
  reservation_entry* s = nullptr;
  pending_operations_.change(request, [&](const pending_operation& p) {
    if (p.what == action::acquire_shared) s = known(p.id);
  });
  void* const room = s ? s->held->payload_buffer(payload.size()) : nullptr;
  if (room && std::memcmp(room, payload.data(), payload.size()) != 0) std::memcpy(room, payload.data(), payload.size());
}

void remote_reservations::finish(const pending_operation& p, const failure_ref& failed, base::thread_context& context) {
  auto& cache = detail::event_cache::of(context);
  if (p.what == action::skip_acquire) return detail::finish(*p.s, p.cause.get(), cache, context);
  if (p.what == action::acquire_shared)
    return detail::finish(*p.s, p.cause ? p.cause.get() : failed.get(), cache, context);
  if (failed && p.what == action::release) {
    detail::report(failed, context);
    return detail::finish(*p.s, failed.get(), cache, context);
  }
  detail::finish(*p.s, nullptr, cache, context);
}

}  // namespace stretto::dist
