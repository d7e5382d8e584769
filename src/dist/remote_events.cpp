#include "dist/remote_events.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/context.hpp"
#include "base/sanitizers.hpp"
#include "event/event_floor.hpp"
#include "event/event_table.hpp"
#include "event/event_wait_graph.hpp"
#include "event/handle.hpp"
#include "event/table_waiter.hpp"

namespace stretto::dist {

using detail::generation_of;
using detail::node_of;
using detail::slot_of;

namespace {

/// The node and the slot in the handle, without the generation.
std::uint64_t key_of(event e) noexcept { return e.raw() >> detail::generation_bits; }

/// The value of knows_ if `node` knows the end of that generation of a slot: a handle with the rank in place of the
/// node number. Never 0, because generations begin at 1.
std::uint64_t known_by(rank node, std::uint32_t slot, std::uint32_t generation) noexcept {
  return detail::handle_of(node, slot, generation).raw();
}

}  // namespace

remote_events::remote_events(job& j) : job_(j) {
  using self = remote_events;
  j.on<&self::on_subscribe, &self::on_ended, &self::on_end, &self::on_refused>(this);
  j.add(*this);
}

void remote_events::serve(base::runtime_context& runtime) {
  table_ = runtime.get<detail::event_table>(base::floor_slot::event);
  detail::set_remote_owner(runtime, this);
}

bool remote_events::reaches(event e) const noexcept { return job_.reaches(node_of(e)); }

// On a node that uses events of other nodes. The event floor calls query, express_interest, subscribe and forward_end
// on any thread. The handlers, on_..., run inside job::poll.

// The record of the slot, made by the first call. Requires the lock of the shard.
remote_events::slot_ends& remote_events::at(shard& s, event e, rank owner) {
  const auto [it, is_new] = s.records.try_emplace(key_of(e), 1);
  if (is_new && job_.is_lost(owner)) static_cast<void>(it->second.fail(job_.loss_of(owner)));
  return it->second;
}

remote_owner::known_state remote_events::query(event e) {
  shard& s = shard_of(key_of(e));
  std::uint32_t known;
  {
    const std::scoped_lock lock(s.lock);
    slot_ends& ends = at(s, e, *job_.rank_of(node_of(e)));
    if (failure_ref cause = ends.cause_of(generation_of(e))) return {state::poisoned, std::move(cause)};
    if (ends.has_ended(generation_of(e))) return {state::triggered, {}};
    if (ends.failure()) return {state::poisoned, ends.failure()};
    if (!ends.ask(generation_of(e)).second) return {};  // this node has subscribed before
    known = ends.ended_below();
  }
  job_.send(*job_.rank_of(node_of(e)), event_subscription{slot_of(e), generation_of(e), known});
  return {};
}

void remote_events::express_interest(event e) { query(e); }

bool remote_events::subscribe(event e, waiter& w, base::thread_context&) {
  shard& s = shard_of(key_of(e));
  std::uint32_t known;
  {
    const std::scoped_lock lock(s.lock);
    slot_ends& ends = at(s, e, *job_.rank_of(node_of(e)));
    if (ends.has_ended(generation_of(e)) || ends.failure()) return false;
    const auto [q, is_first] = ends.ask(generation_of(e));
    base::announce_release(&w);
    w.next = std::exchange(q.waiting, &w);
    if (!is_first) return true;
    known = ends.ended_below();
  }
  job_.send(*job_.rank_of(node_of(e)), event_subscription{slot_of(e), generation_of(e), known});
  return true;
}

// Runs the waiters. No shard may be locked, because a waiter may use events.
void remote_events::end_all(const std::vector<slot_ends::ended>& all, base::thread_context& context) {
  for (const slot_ends::ended& one : all) detail::fire_all(one.waiting, one.cause.get(), context);
}

std::size_t remote_events::records() const {
  std::size_t n = 0;
  for (const shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    n += s.records.size();
  }
  return n;
}

void remote_events::add_wait_edges(base::wait_walk& walk) const {
  for (const shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (const auto& [key, ends] : s.records)
      for (const slot_ends::query& q : ends.queries())
        if (q.waiting && !walk.is_full())
          detail::add_waiters(q.waiting, walk.at(base::wait_kind::event, key << detail::generation_bits | q.of), walk);
  }
}

// Triggering an event of another node.

void remote_events::forward_end(event e, failure_ref cause, base::thread_context& context,
                                const std::source_location& where) {
  const rank owner = *job_.rank_of(node_of(e));
  bool knows = false;
  std::vector<slot_ends::ended> ended;
  if (!cause) {  // a success can be inferred; only the owner reports a poison
    shard& s = shard_of(key_of(e));
    const std::scoped_lock lock(s.lock);
    // This node can infer the end only of a slot that it has a record of. For any other, nothing waits here.
    if (const auto it = s.records.find(key_of(e)); it != s.records.end()) {
      knows = it->second.infer(generation_of(e));
      ended = it->second.take_ended();
    }
  }
  job_.send(owner, event_end{slot_of(e), generation_of(e), knows, where, std::move(cause)});
  end_all(ended, context);
}

void remote_events::on_ended(rank from, const events_ended& m, base::thread_context& context) {
  const event any = detail::handle_of(job_.node_of(from), m.slot, 1);  // any generation has the key of the slot
  std::vector<slot_ends::ended> ended;
  {
    shard& s = shard_of(key_of(any));
    const std::scoped_lock lock(s.lock);
    slot_ends& ends = at(s, any, from);
    ends.learn(m.generation, m.poisons);
    ended = ends.take_ended();
  }
  end_all(ended, context);
}

// An end of this node came second: reports E01 here as an unobserved failure.
void remote_events::on_refused(rank, const event_end_refused& m, base::thread_context& context) {
  if (m.why) detail::report(m.why, context);
}

void remote_events::lost(rank node, base::thread_context& context) noexcept {
  const failure_ref loss = job_.loss_of(node);
  std::vector<slot_ends::ended> ended;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [key, ends] : s.records)
      if (job_.rank_of(static_cast<std::uint16_t>(key >> detail::slot_bits)) == node)
        std::ranges::move(ends.fail(loss), std::back_inserter(ended));
  }
  end_all(ended, context);
}

// On the owner of the events, inside job::poll. Messages about slots that do not exist are ignored.

// `known`: node `to` knows the ends of all generations below this one.
void remote_events::send_ended(rank to, std::uint32_t slot, std::uint32_t known) {
  const detail::slot& s = table_->at(slot);
  const std::uint32_t present = s.generation_now();  // read before the list, which contains all poisons below it
  events_ended m{.slot = slot, .generation = present};
  for (auto* p = s.poisons.load(std::memory_order_acquire); p; p = p->next)
    if (const auto g = p->generation.load(std::memory_order_relaxed); g >= known && g < present)
      m.poisons.push_back({g, p->cause});
  job_.send(to, m);
}

void remote_events::on_subscribe(rank from, const event_subscription& m, base::thread_context& context) {
  if (m.slot >= table_->carved()) return;
  if (table_->at(m.slot).has_ended(m.generation)) return send_ended(from, m.slot, m.known_below);
  waiter& w = detail::make_table_waiter(
      [this, from, slot = m.slot, generation = m.generation, known = m.known_below](const failure*,
                                                                                    base::thread_context&) {
        // Not to the node whose `end` message is being handled, if it has inferred the end.
        if (knows_.load(std::memory_order_relaxed) != known_by(from, slot, generation)) send_ended(from, slot, known);
      },
      context);
  if (!table_->at(m.slot).subscribe(m.generation, w)) w.fire(w, nullptr, context);  // it has ended meanwhile
}

void remote_events::on_end(rank from, const event_end& m, base::thread_context& context) {
  if (m.slot >= table_->carved()) return;
  if (m.is_known) knows_.store(known_by(from, m.slot, m.generation), std::memory_order_relaxed);
  const event e = detail::handle_of(job_.node(), m.slot, m.generation);
  try {
    // Runs the waiters of on_subscribe(), which read knows_.
    detail::end_event(e, m.cause, context, m.where);
  } catch (...) {
    job_.send(from,
              event_end_refused{detail::make_failure(std::current_exception(), "event " + to_string(e), m.where)});
  }
  knows_.store(0, std::memory_order_relaxed);
}

}  // namespace stretto::dist
