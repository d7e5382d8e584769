// barrier_owner.cpp - the owner's side of remote_barriers: operations of other nodes on barriers of this one.

#include <algorithm>
#include <utility>

#include "base/context.hpp"
#include "dist/remote_barriers.hpp"
#include "event/event_floor.hpp"
#include "event/event_table.hpp"
#include "event/table_waiter.hpp"

namespace stretto::dist {

using detail::phases;

void remote_barriers::send_gone(rank to, detail::barrier_id id, const failure_ref& why) {
  job_.send(to, barrier_gone{id, detail::find_barrier(id, *table_) != nullptr, why});
}

void remote_barriers::send_gone(const rank_set& to, detail::barrier_id id, const failure_ref& why) {
  to.for_each([&](rank r) { send_gone(r, id, why); });
}

/// Reports the current exception to that node.
void remote_barriers::refuse(rank to, call_number request, const std::string& who, const std::source_location& where) {
  const failure_ref why = detail::make_failure(std::current_exception(), who, where);
  if (request != call_number{}) job_.send(to, barrier_altered{request, why});
  else job_.send(to, barrier_refused{why});
}

void remote_barriers::on_arrive(rank from, const barrier_arrival& m, base::thread_context& context) {
  if (const phases* const p = detail::find_barrier(m.barrier, *table_)) {
    if (!m.value.empty() && m.value.size() != p->value_bytes()) return job_.refuse_malformed(m.message, from);
    const std::scoped_lock lock(lock_);
    owned_barrier& h = owned_barriers_[m.barrier];
    h.users.add(from);
    h.arrived.add(from);
  }
  try {
    // A vector's memory is aligned for every type of the program.
    const std::byte* const value = m.value.empty() ? nullptr : m.value.data();
    detail::arrive_for_node(m.barrier, m.phase, m.count, m.cause.get(), value, context, m.where);
  } catch (...) {
    refuse(from, {}, "an arrival", m.where);
  }
  if (m.has_query) reply_when_ended(from, m.barrier, m.phase, m.known_below, context);
}

void remote_barriers::on_query(rank from, const barrier_query& m, base::thread_context& context) {
  reply_when_ended(from, m.barrier, m.phase, m.known_below, context);
}

void remote_barriers::reply_when_ended(rank to, detail::barrier_id id, std::uint64_t phase, std::uint64_t known,
                                       base::thread_context& context) {
  phases* p = detail::find_barrier(id, *table_);
  if (!p) return send_gone(to, id, detail::barrier_gone(id, phase, {}));
  failure_ref lost;
  {
    const std::scoped_lock lock(lock_);
    owned_barrier& h = owned_barriers_[id];
    h.users.add(to);
    lost = h.lost;
  }
  if (lost) return send_gone(to, id, lost);
  if (p->has_ended(phase)) return reply(to, id, known);
  waiter& w = detail::make_table_waiter(
      [this, to, id, known](const failure*, base::thread_context&) { reply(to, id, known); }, context);
  if (!detail::subscribe(p->event_at(phase, context, p->where()), w, context)) w.fire(w, nullptr, context);
}

void remote_barriers::reply(rank to, detail::barrier_id id, std::uint64_t known) {
  phases* p = detail::find_barrier(id, *table_);
  if (!p) return;  // destroyed() has notified that node
  const std::uint64_t present = p->present();
  barrier_ended m{.barrier = id, .phase = present};
  for (const auto& [phase, cause] : p->poisoned_between(known, present)) m.poisoned.push_back({phase, cause});
  const std::uint64_t oldest = present > values_kept ? present - values_kept : 0;
  std::vector<std::byte> bytes(p->value_bytes());
  for (auto phase = std::max(known, oldest); phase < present && !bytes.empty(); ++phase) {
    failure_ref cause;
    if (p->value(phase, bytes.data(), cause) != phases::value_state::ready) continue;
    m.values.push_back({phase, bytes});
  }
  job_.send(to, m);
}

void remote_barriers::on_alter(rank from, const barrier_alteration& m, base::thread_context& context) {
  try {
    detail::alter_for_node(m.barrier, m.phase, m.delta, context, m.where);
    job_.send(from, barrier_altered{m.request});
  } catch (...) {
    refuse(from, m.request, "alter_arrival_count", m.where);
  }
}

void remote_barriers::on_destroy(rank from, const barrier_destruction& m, base::thread_context& context) {
  try {
    detail::destroy_barrier(m.barrier, m.phase, context, m.where);
  } catch (...) {
    refuse(from, {}, "barrier::destroy", m.where);
  }
}

void remote_barriers::destroyed(detail::barrier_id id, const failure_ref& why) {
  rank_set users;
  {
    const std::scoped_lock lock(lock_);
    const auto it = owned_barriers_.find(id);
    if (it == owned_barriers_.end()) return;
    users = std::move(it->second.users);
    owned_barriers_.erase(it);
  }
  send_gone(users, id, why);
}

}  // namespace stretto::dist
