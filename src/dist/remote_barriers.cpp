#include "dist/remote_barriers.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/context.hpp"
#include "event/event_floor.hpp"
#include "event/event_table.hpp"
#include "event/event_wait_graph.hpp"

namespace stretto::dist {

using detail::phases;

remote_barriers::remote_barriers(job& j) : job_(j) {
  using self = remote_barriers;
  j.on<&self::on_arrive, &self::on_query, &self::on_ended, &self::on_alter, &self::on_altered, &self::on_destroy,
       &self::on_gone, &self::on_refused>(this);
  j.add(*this);
}

void remote_barriers::serve(base::runtime_context& runtime) {
  table_ = runtime.get<detail::event_table>(base::floor_slot::event);
  detail::set_remote_barriers(runtime, this);
}

rank remote_barriers::owner_of(detail::barrier_id id) const noexcept {
  return *job_.rank_of(detail::home_of_barrier(id));
}

bool remote_barriers::reaches(detail::barrier_id id) const noexcept {
  return job_.reaches(detail::home_of_barrier(id));
}

std::size_t remote_barriers::records() const {
  const std::scoped_lock lock(lock_);
  return records_.size() + owned_barriers_.size();
}

remote_barriers::record& remote_barriers::at(detail::barrier_id id) {
  const auto [it, is_new] = records_.try_emplace(id);
  if (is_new && job_.is_lost(owner_of(id))) static_cast<void>(it->second.ends.fail(job_.loss_of(owner_of(id))));
  return it->second;
}

// Operations of this node on barriers of others.

void remote_barriers::arrive(detail::barrier_id id, std::uint64_t phase, std::uint32_t count, const failure* cause,
                             const void* value, const detail::phase_fold& fold, base::thread_context&,
                             const std::source_location& where) {
  {
    const std::scoped_lock lock(lock_);
    record& r = at(id);
    if (r.ends.failure()) return;
    arrival_batch& b = r.to_send[phase];
    b.count += count;
    b.where = where;
    if (cause) {
      if (!b.cause) b.cause = failure_ref::share(cause);
    } else if (value && b.value.empty()) {
      b.value.resize(fold.bytes);
      std::memcpy(b.value.data(), value, fold.bytes);
    } else if (value) {
      fold.apply(b.value.data(), value);
    }
    if (std::exchange(r.is_sending, true)) return;  // the sending thread takes this arrival along
  }
  send_arrivals(id);
}

void remote_barriers::send_arrivals(detail::barrier_id id) {
  for (;;) {
    std::uint64_t phase, known;
    arrival_batch b;
    bool has_query;
    {
      const std::scoped_lock lock(lock_);
      const auto it = records_.find(id);
      if (it == records_.end()) return;
      record& r = it->second;
      if (r.to_send.empty()) {
        r.is_sending = false;
        return;
      }
      phase = r.to_send.begin()->first;
      b = std::move(r.to_send.begin()->second);
      r.to_send.erase(r.to_send.begin());
      known = r.ends.ended_below();
      // A node that has waited for a phase before nearly always waits for the next one, too.
      has_query = r.has_queried && phase >= known && r.ask(phase).second;
    }
    job_.send(owner_of(id),
              barrier_arrival{id, phase, b.count, known, has_query, b.where, std::move(b.value), std::move(b.cause)});
  }
}

event remote_barriers::alter(detail::barrier_id id, std::uint64_t phase, std::int32_t delta,
                             base::thread_context& context, const std::source_location& where) {
  const event done = detail::make_event(context, where);
  failure_ref gone;
  call_number request = {};
  {
    const std::scoped_lock lock(lock_);
    gone = at(id).ends.failure();
    if (!gone) request = pending_alterations_.add({id, done});
  }
  if (gone) detail::end_event(done, gone, context, where);
  else job_.send(owner_of(id), barrier_alteration{id, phase, delta, request, where});
  return done;
}

bool remote_barriers::has_ended(detail::barrier_id id, std::uint64_t phase) {
  std::uint64_t known;
  {
    const std::scoped_lock lock(lock_);
    record& r = at(id);
    if (r.ends.has_ended(phase) || r.ends.failure()) return true;
    if (!r.ask(phase).second) return false;
    known = r.ends.ended_below();
  }
  job_.send(owner_of(id), barrier_query{id, phase, known});
  return false;
}

event remote_barriers::event_at(detail::barrier_id id, std::uint64_t phase, base::thread_context& context,
                                const std::source_location& where) {
  event made;
  failure_ref cause;
  std::uint64_t known;
  bool has_query = false;
  {
    const std::scoped_lock lock(lock_);
    record& r = at(id);
    known = r.ends.ended_below();
    cause = r.ends.has_ended(phase) ? r.ends.cause_of(phase) : r.ends.failure();
    if (r.ends.has_ended(phase)) {
      if (!cause) return {};
      event& e = r.poisoned[phase];
      if (e != event()) return e;
      made = e = detail::make_event(context, where);
    } else if (cause) {
      made = detail::make_event(context, where);
    } else {
      const auto [q, is_first] = r.ask(phase);
      if (q.waiting == event()) q.waiting = detail::make_event(context, where);
      made = q.waiting;
      has_query = is_first;
    }
  }
  if (cause) detail::end_event(made, cause, context, where);
  if (has_query) job_.send(owner_of(id), barrier_query{id, phase, known});
  return made;
}

phases::value_state remote_barriers::value(detail::barrier_id id, std::uint64_t phase, void* into, std::size_t bytes,
                                           failure_ref& cause) {
  std::uint64_t known;
  {
    const std::scoped_lock lock(lock_);
    record& r = at(id);
    cause = r.ends.has_ended(phase) ? r.ends.cause_of(phase) : r.ends.failure();
    if (cause) return phases::value_state::poisoned;
    if (r.ends.has_ended(phase)) {
      const auto it = r.values.find(phase);
      if (it == r.values.end() || it->second.size() != bytes) return phases::value_state::forgotten;
      std::memcpy(into, it->second.data(), bytes);
      return phases::value_state::ready;
    }
    if (!r.ask(phase).second) return phases::value_state::pending;
    known = r.ends.ended_below();
  }
  job_.send(owner_of(id), barrier_query{id, phase, known});
  return phases::value_state::pending;
}

void remote_barriers::destroy(detail::barrier_id id, std::uint64_t phase, base::thread_context&,
                              const std::source_location& where) {
  job_.send(owner_of(id), barrier_destruction{id, phase, where});
}

/// Ends the events in the order of their phases.
void remote_barriers::end_all(std::vector<phase_ends::ended> all, base::thread_context& context) {
  std::ranges::sort(all, {}, &phase_ends::ended::of);
  for (phase_ends::ended& one : all) detail::end_event(one.waiting, std::move(one.cause), context, {});
}

void remote_barriers::on_ended(rank, const barrier_ended& m, base::thread_context& context) {
  std::vector<phase_ends::ended> ended;
  {
    const std::scoped_lock lock(lock_);
    const auto it = records_.find(m.barrier);
    if (it == records_.end()) return;
    record& r = it->second;
    r.ends.learn(m.phase, m.poisoned);
    for (const auto& [phase, value] : m.values) r.values[phase] = value;
    std::erase_if(r.values, [&](const auto& one) { return one.first + values_kept < r.ends.ended_below(); });
    ended = r.ends.take_ended();
    for (const phase_ends::ended& one : ended)
      if (one.cause) r.poisoned[one.of] = one.waiting;
  }
  end_all(std::move(ended), context);
}

void remote_barriers::on_altered(rank, const barrier_altered& m, base::thread_context& context) {
  const auto altered = pending_alterations_.complete(m.request);
  if (!altered) return;
  if (m.why) detail::report(m.why, context);
  detail::end_event(altered->done, m.why, context, {});
}

void remote_barriers::on_refused(rank, const barrier_refused& m, base::thread_context& context) {
  if (m.why) detail::report(m.why, context);
}

void remote_barriers::on_gone(rank, const barrier_gone& m, base::thread_context& context) {
  fail_barrier(m.barrier, m.why, context);
  if (m.is_lost) return;
  const std::scoped_lock lock(lock_);
  if (const auto it = records_.find(m.barrier); it != records_.end() && !it->second.is_sending) records_.erase(it);
}

void remote_barriers::fail_barrier(detail::barrier_id id, const failure_ref& why, base::thread_context& context) {
  std::vector<phase_ends::ended> ended;
  std::vector<remote_calls<pending_alteration>::ended> altered;
  {
    const std::scoped_lock lock(lock_);
    const auto it = records_.find(id);
    if (it == records_.end()) return;
    ended = it->second.ends.fail(why);
    it->second.to_send.clear();
    altered = pending_alterations_.fail_if([&](const pending_alteration& p) { return p.barrier == id; });
  }
  end_all(std::move(ended), context);
  for (const auto& a : altered) detail::end_event(a.call.done, why, context, {});
}

void remote_barriers::add_wait_edges(base::wait_walk& walk) const {
  const std::scoped_lock lock(lock_);
  for (const auto& [id, r] : records_)
    for (const phase_ends::query& q : r.ends.queries()) {
      if (q.waiting == event()) continue;
      if (walk.is_full()) return;
      const std::uint32_t node = walk.at(base::wait_kind::event, q.waiting.raw());
      walk[node].is_promised = true;
      walk.link(node, walk.at(base::wait_kind::barrier, detail::key_of_phase(id, q.of)));
    }
}

void remote_barriers::lost(rank node, base::thread_context& context) noexcept {
  const failure_ref why = job_.loss_of(node);
  std::vector<detail::barrier_id> of_it;
  std::vector<std::pair<detail::barrier_id, rank_set>> used_by_it;
  {
    const std::scoped_lock lock(lock_);
    for (const auto& [id, r] : records_)
      if (owner_of(id) == node) of_it.push_back(id);
    for (auto& [id, h] : owned_barriers_)
      if (!h.lost && h.arrived.contains(node)) {
        h.lost = why;
        used_by_it.emplace_back(id, h.users);
      }
  }
  for (const auto id : of_it) fail_barrier(id, why, context);
  for (const auto& [id, users] : used_by_it) {
    if (phases* p = detail::find_barrier(id, *table_)) p->lose(why, context);
    send_gone(users, id, why);
  }
}

}  // namespace stretto::dist
