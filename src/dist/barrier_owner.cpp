// barrier_owner.cpp - the owner's side of remote_barriers: operations of other nodes on barriers of this one.

#include <algorithm>
#include <utility>

#include "base/context.hpp"
#include "dist/remote_barriers.hpp"
#include "event/event_floor.hpp"
#include "event/event_table.hpp"

namespace stretto::dist {

using detail::phases;

/// On the owner: a phase that another node waits for.
struct remote_barriers::subscription : waiter {
  remote_barriers* of;
  std::uint64_t id, known;
  rank to;

  static void on_ended(waiter& self, const failure*, base::thread_context& context) noexcept {
    const subscription s = static_cast<subscription&>(self);
    detail::event_cache::of(context).records.free(&self);
    s.of->reply(s.to, s.id, s.known);
  }
};

remote_barriers::owned_barrier& remote_barriers::owned_at(std::uint64_t id) {
  owned_barrier& h = owned_barriers_[id];
  if (h.users.empty()) {
    h.users.resize(job_.nodes());
    h.arrived.resize(job_.nodes());
  }
  return h;
}

void remote_barriers::send_gone(rank to, std::uint64_t id, const failure_ref& why) {
  job_.send(to, barrier_gone{id, detail::find_barrier(id, *table_) != nullptr, why});
}

/// Reports the current exception to that node.
void remote_barriers::refuse(rank to, call_number request, const std::string& who, const std::source_location& where) {
  const failure_ref why = detail::make_failure(std::current_exception(), who, where);
  if (request != call_number{}) job_.send(to, barrier_altered{request, why});
  else job_.send(to, barrier_refused{why});
}

void remote_barriers::on_arrive(rank from, const barrier_arrival& m, base::thread_context& context) {
  if (detail::find_barrier(m.barrier, *table_)) {
    const std::scoped_lock lock(lock_);
    owned_barrier& h = owned_at(m.barrier);
    h.users[from] = h.arrived[from] = true;
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

void remote_barriers::reply_when_ended(rank to, std::uint64_t id, std::uint64_t phase, std::uint64_t known,
                                       base::thread_context& context) {
  phases* p = detail::find_barrier(id, *table_);
  if (!p) return send_gone(to, id, detail::barrier_gone(id, phase, {}));
  failure_ref lost;
  {
    const std::scoped_lock lock(lock_);
    owned_barrier& h = owned_at(id);
    h.users[to] = true;
    lost = h.lost;
  }
  if (lost) return send_gone(to, id, lost);
  if (p->has_ended(phase)) return reply(to, id, known);
  static_assert(sizeof(subscription) <= detail::event_table::record_bytes &&
                std::is_trivially_destructible_v<subscription>);
  auto* s = new (detail::event_cache::of(context).records.allocate()) subscription;
  s->fire = subscription::on_ended;
  s->of = this;
  s->id = id;
  s->known = known;
  s->to = to;
  if (!detail::subscribe(p->event_at(phase, context, p->where()), *s, context))
    subscription::on_ended(*s, nullptr, context);
}

void remote_barriers::reply(rank to, std::uint64_t id, std::uint64_t known) {
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

void remote_barriers::destroyed(std::uint64_t id, const failure_ref& why) {
  owned_barrier h;
  {
    const std::scoped_lock lock(lock_);
    const auto it = owned_barriers_.find(id);
    if (it == owned_barriers_.end()) return;
    h = std::move(it->second);
    owned_barriers_.erase(it);
  }
  for (std::size_t r = 0; r < h.users.size(); ++r)
    if (h.users[r]) send_gone(static_cast<rank>(r), id, why);
}

}  // namespace stretto::dist
