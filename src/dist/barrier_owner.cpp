// barrier_owner.cpp - the owner's side of remote_barriers: operations of other nodes on barriers of this one.

#include <algorithm>
#include <utility>

#include "base/context.hpp"
#include "dist/program_constants.hpp"
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
  writer content(id, static_cast<std::uint8_t>(detail::find_barrier(id, *table_) != nullptr));
  causes_.write(content, *why.get());
  job_.send(to, gone_, content);
}

/// Reports the current exception to that node.
void remote_barriers::refuse(rank to, std::uint64_t token, const std::string& who, const std::source_location& where) {
  const failure_ref why = detail::make_failure(std::current_exception(), who, where);
  writer content;
  if (token) {
    content.put(token);
    content.put(std::uint8_t{1});
  }
  causes_.write(content, *why.get());
  job_.send(to, token ? altered_ : refused_, content);
}

void remote_barriers::on_arrive(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>(), phase = content.get<std::uint64_t>();
  const auto count = content.get<std::uint32_t>();
  const auto known = content.get<std::uint64_t>();
  const bool has_query = content.get<std::uint8_t>() != 0;
  const auto where = decode(content.get<std::uint64_t>(), job_.node_of(from));
  const auto bytes = content.get_bytes(content.get<std::uint32_t>());
  // A vector's memory is aligned for every type of the program.
  const std::vector<std::byte> value(bytes.begin(), bytes.end());
  failure_ref cause;
  if (content.get<std::uint8_t>()) cause = causes_.read(content, from);
  if (!content.is_whole()) return;
  if (detail::find_barrier(id, *table_)) {
    const std::scoped_lock lock(lock_);
    owned_barrier& h = owned_at(id);
    h.users[from] = h.arrived[from] = true;
  }
  try {
    detail::arrive_for_node(id, phase, count, cause.get(), value.empty() ? nullptr : value.data(), context, where);
  } catch (...) {
    refuse(from, 0, "an arrival", where);
  }
  if (has_query) reply_when_ended(from, id, phase, known, context);
}

void remote_barriers::on_query(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>(), phase = content.get<std::uint64_t>(),
             known = content.get<std::uint64_t>();
  if (content.is_whole()) reply_when_ended(from, id, phase, known, context);
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
  writer content(id, present);
  const auto poisoned = p->poisoned_between(known, present);
  content.put(static_cast<std::uint32_t>(poisoned.size()));
  for (const auto& [phase, cause] : poisoned) {
    content.put(phase);
    causes_.write(content, *cause.get());
  }
  writer values;
  std::uint32_t n = 0;
  const std::uint64_t oldest = present > values_kept ? present - values_kept : 0;
  std::vector<std::byte> bytes(p->value_bytes());
  for (auto phase = std::max(known, oldest); phase < present && !bytes.empty(); ++phase) {
    failure_ref cause;
    if (p->value(phase, bytes.data(), cause) != phases::value_state::ready) continue;
    values.put(phase);
    values.put(static_cast<std::uint32_t>(bytes.size()));
    values.put_bytes(bytes);
    ++n;
  }
  content.put(n);
  content.put_bytes(values.all());
  job_.send(to, ended_, content);
}

void remote_barriers::on_alter(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>(), phase = content.get<std::uint64_t>();
  const auto delta = content.get<std::int32_t>();
  const auto token = content.get<std::uint64_t>();
  const auto where = decode(content.get<std::uint64_t>(), job_.node_of(from));
  if (!content.is_whole()) return;
  try {
    detail::alter_for_node(id, phase, delta, context, where);
    job_.send(from, altered_, writer(token, std::uint8_t{0}));
  } catch (...) {
    refuse(from, token, "alter_arrival_count", where);
  }
}

void remote_barriers::on_destroy(rank from, reader& content, base::thread_context& context) {
  const auto id = content.get<std::uint64_t>(), phase = content.get<std::uint64_t>();
  const auto where = decode(content.get<std::uint64_t>(), job_.node_of(from));
  try {
    detail::destroy_barrier(id, phase, context, where);
  } catch (...) {
    refuse(from, 0, "barrier::destroy", where);
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
