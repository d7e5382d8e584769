#include "dist/remote_reservations.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/context.hpp"
#include "event/event_floor.hpp"
#include "event/event_table.hpp"
#include "event/event_wait_graph.hpp"

namespace stretto::dist {

using detail::reservation_state;

remote_reservations::remote_reservations(job& j) : job_(j) {
  using self = remote_reservations;
  j.on<&self::on_want, &self::on_recall, &self::on_pass, &self::on_operation, &self::on_done, &self::on_gone,
       &self::on_destroy, &self::on_refused, &self::on_cut>(this);
  j.add(*this);
}

void remote_reservations::serve(base::runtime_context& runtime) {
  table_ = runtime.get<detail::event_table>(base::floor_slot::event);
  detail::set_remote_reservations(runtime, this);
}

rank remote_reservations::home_of(detail::reservation_id id) const noexcept {
  return *job_.rank_of(detail::home_of_reservation(id));
}

std::size_t remote_reservations::records() const {
  const std::scoped_lock lock(lock_);
  return entries_.size();
}

remote_reservations::reservation_entry* remote_reservations::known(detail::reservation_id id) {
  if (const auto it = entries_.find(id); it != entries_.end()) return &it->second;
  if (job_.rank_of(detail::home_of_reservation(id)) != job_.self()) return nullptr;
  reservation_state* h = detail::find_reservation(id, *table_);
  if (!h) return nullptr;
  reservation_entry& s = entries_[id];
  s.held = h;
  s.is_here = true;
  s.last = job_.self();
  return &s;
}

reservation_state* remote_reservations::find(detail::reservation_id id) {
  if (!job_.reaches(detail::home_of_reservation(id))) return nullptr;
  const std::scoped_lock lock(lock_);
  reservation_entry& s = entries_[id];
  if (s.held) return s.held;
  if (free_.empty()) free_.push_back(&made_.emplace_back());
  s.held = free_.back();
  free_.pop_back();
  s.held->start_elsewhere();
  if (job_.is_lost(home_of(id))) s.held->stop(job_.loss_of(home_of(id)));
  return s.held;
}

// The queue of nodes.

void remote_reservations::want(detail::reservation_id id, base::thread_context& context) {
  {
    const std::scoped_lock lock(lock_);
    reservation_entry* s = known(id);
    if (!s || !mark_wanted(*s)) return;
  }
  send_want(id, context);
}

void remote_reservations::send_want(detail::reservation_id id, base::thread_context& context) {
  if (home_of(id) == job_.self()) enqueue_requester(job_.self(), id, context);
  else job_.send(home_of(id), reservation_want{id});
}

void remote_reservations::enqueue_requester(rank who, detail::reservation_id id, base::thread_context& context) {
  rank to;
  std::uint32_t version;
  {
    const std::scoped_lock lock(lock_);
    reservation_entry* s = known(id);
    const failure_ref gone = s ? s->held->gone() : detail::gone_before(id, {});
    if (gone) return job_.send(who, reservation_gone{id, s != nullptr, gone});
    s->users.add(who);
    to = std::exchange(s->last, who);
    version = ++s->version;
  }
  if (to == job_.self()) recall(id, who, version, context);
  else job_.send(to, reservation_recall{id, who, version});
}

void remote_reservations::recall(detail::reservation_id id, rank to, std::uint32_t version,
                                 base::thread_context& context) {
  detail::remote_acquire* w = nullptr;
  {
    const std::scoped_lock lock(lock_);
    reservation_entry* s = known(id);
    if (!s || s->held->gone()) return;
    w = &detail::make_table_waiter<detail::remote_acquire>(
        [this, id, to, version](const failure* gone, base::thread_context& on) {
          if (!gone) pass_on(id, to, version, on);
        },
        context);
    if (!s->held->leave(*w)) return;  // it will be fired
  }
  w->fire(*w, nullptr, context);
}

void remote_reservations::pass_on(detail::reservation_id id, rank to, std::uint32_t version,
                                  base::thread_context& context) {
  reservation_pass pass{.reservation = id, .version = version};
  std::vector<std::byte> payload;
  std::vector<forwarded_operation> along;
  bool is_wanted_again;
  {
    const std::scoped_lock lock(lock_);
    reservation_entry* s = known(id);
    if (!s || s->held->gone()) return;
    s->is_here = false;
    s->passed = version;
    s->passed_to = to;
    pass.fairness = s->held->fairness();
    pass.where = s->held->where();
    for (const auto& one : s->held->take_skipped()) pass.skipped.push_back({one.count, one.root});
    payload = payload_of(*s->held);
    pass.payload.all = payload;
    along = std::exchange(s->waiting, {});
    pass.readers = take_readers(*s->held, context);
    is_wanted_again = s->held->has_local_waiters() && mark_wanted(*s);
  }
  passes_.fetch_add(1, std::memory_order_relaxed);
  job_.send(to, pass);
  for (forwarded_operation& e : along) {
    e.version = version;
    send(to, e);
  }
  if (is_wanted_again) send_want(id, context);
}

void remote_reservations::on_want(rank from, const reservation_want& m, base::thread_context& context) {
  enqueue_requester(from, m.reservation, context);
}

void remote_reservations::on_recall(rank, const reservation_recall& m, base::thread_context& context) {
  recall(m.reservation, m.to, m.version, context);
}

void remote_reservations::on_pass(rank, const reservation_pass& m, base::thread_context& context) {
  std::vector<reservation_state::skipped> skipped;
  for (const auto& one : m.skipped) skipped.push_back({one.root, one.count});
  const std::span<const std::byte> payload = m.payload.all;
  waiter* const readers = made_readers(m, context);
  deferred_actions after;
  std::vector<forwarded_operation> waiting;
  {
    const std::scoped_lock lock(lock_);
    const auto it = entries_.find(m.reservation);
    if (it == entries_.end() || it->second.held->gone())
      return drop_readers(readers, context);  // destroyed or lost; this node was notified
    reservation_entry& s = it->second;
    if (void* room = s.held->payload_buffer(payload.size())) std::memcpy(room, payload.data(), payload.size());
    s.is_here = true;
    s.is_wanted = false;
    s.seen = m.version;
    s.held->move_here(m.fairness, m.where, std::move(skipped), after.next, readers);
    waiting = std::exchange(s.waiting, {});
  }
  run_deferred(after, context);
  for (forwarded_operation& e : waiting) route(std::move(e), context);
}

// Destroyed and lost reservations.

void remote_reservations::end_all(detail::reservation_id id, reservation_entry& s, const failure_ref& why,
                                  deferred_actions& after) {
  after.why = why;
  for (forwarded_operation& e : std::exchange(s.waiting, {})) after.done.emplace_back(std::move(e), why);
  for (auto& ended : pending_operations_.fail_if([&](const pending_operation& p) { return p.id == id; })) {
    if (ended.call.what == action::acquire_shared) ended.call.cause = why;
    after.ended.push_back(std::move(ended.call));
  }
  after.users = s.users;
}

void remote_reservations::send_gone(const rank_set& to, detail::reservation_id id, bool is_lost,
                                    const failure_ref& why) {
  to.for_each([&](rank r) {
    if (r != job_.self()) job_.send(r, reservation_gone{id, is_lost, why});
  });
}

void remote_reservations::destroy(detail::reservation_id id, base::thread_context&, const std::source_location& where) {
  job_.send(home_of(id), reservation_destruction{id, where});
}

void remote_reservations::on_destroy(rank from, const reservation_destruction& m, base::thread_context& context) {
  if (detail::destroy_reservation(m.reservation, context, m.where)) return;
  job_.send(from, reservation_refused{detail::gone_before(m.reservation, m.where)});
}

void remote_reservations::destroyed(detail::reservation_id id, const failure_ref& why) {
  forget_destroyed(id, why, base::require_current("reservation::destroy"));
}

/// The home has stopped the state of its reservation itself.
void remote_reservations::forget_destroyed(detail::reservation_id id, const failure_ref& why,
                                           base::thread_context& context) {
  deferred_actions after;
  auto left = after.left;
  {
    const std::scoped_lock lock(lock_);
    const auto it = entries_.find(id);
    if (it == entries_.end()) return;  // not used here, or at home: by no other node
    if (home_of(id) != job_.self()) {
      left = it->second.held->stop(why);
      free_.push_back(it->second.held);
    }
    end_all(id, it->second, why, after);
    entries_.erase(it);
  }
  send_gone(after.users, id, false, why);
  // Releases of a destroyed reservation have no effect, and do not fail.
  for (auto& [e, failed] : after.done)
    if (e.what != action::acquire_shared) failed = {};
  after.why = {};
  run_deferred(after, context);
  detail::fail_waiters(left, why, context);
}

void remote_reservations::fail_reservation(detail::reservation_id id, const failure_ref& why,
                                           base::thread_context& context) {
  deferred_actions after;
  {
    const std::scoped_lock lock(lock_);
    reservation_entry* s = known(id);
    if (!s || s->held->gone()) return;
    after.left = s->held->stop(why);
    s->is_here = false;
    end_all(id, *s, why, after);
  }
  send_gone(after.users, id, true, why);
  run_deferred(after, context);
}

void remote_reservations::on_gone(rank, const reservation_gone& m, base::thread_context& context) {
  if (m.is_lost) fail_reservation(m.reservation, m.why, context);
  else forget_destroyed(m.reservation, m.why, context);
}

void remote_reservations::on_refused(rank, const reservation_refused& m, base::thread_context& context) {
  if (m.why) detail::report(m.why, context);
}

void remote_reservations::on_cut(rank, const reservation_cut& m, base::thread_context& context) {
  {
    const std::scoped_lock lock(lock_);
    const reservation_entry* s = known(m.reservation);
    if (!s || !s->users.contains(m.lost)) return;
  }
  fail_reservation(m.reservation, m.why, context);
}

void remote_reservations::add_wait_edges(base::wait_walk& walk) const {
  std::vector<std::pair<detail::reservation_id, detail::reservation_state*>> here;
  {
    const std::scoped_lock lock(lock_);
    for (const auto& [id, s] : entries_)
      if (s.is_here && s.held && home_of(id) != job_.self()) here.emplace_back(id, s.held);
  }
  for (const auto& [id, held] : here)
    if (!walk.is_full()) detail::add_reservation(id, *held, walk);
}

void remote_reservations::lost(rank node, base::thread_context& context) noexcept {
  const failure_ref why = job_.loss_of(node);
  std::vector<detail::reservation_id> dead, elsewhere;
  {
    const std::scoped_lock lock(lock_);
    for (const auto& [id, s] : entries_) {
      const rank home = home_of(id);
      if (home == node || (home == job_.self() && s.users.contains(node))) dead.push_back(id);
      else if (home != job_.self()) elsewhere.push_back(id);
    }
  }
  for (const auto id : dead) fail_reservation(id, why, context);
  // Their homes may still reach that node, and must learn that this node cannot.
  for (const auto id : elsewhere) job_.send(home_of(id), reservation_cut{id, node, why});
}

}  // namespace stretto::dist
