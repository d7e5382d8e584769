#include "dist/remote_events.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <utility>

#include "base/context.hpp"
#include "base/sanitizers.hpp"
#include "event/event_floor.hpp"
#include "event/event_table.hpp"
#include "event/event_wait_graph.hpp"
#include "event/handle.hpp"

namespace stretto::dist {

using detail::generation_of;
using detail::node_of;
using detail::slot_of;

namespace {

std::uint64_t key_of(event e) noexcept { return e.raw() >> detail::generation_bits; }

/// The handle with the node's rank as node number; never 0, because generations begin at 1.
std::uint64_t known_by(rank node, std::uint32_t slot, std::uint32_t generation) noexcept {
  return detail::handle_of(node, slot, generation).raw();
}

}  // namespace

struct remote_events::subscription : waiter {
  remote_events* of;
  rank to;
  std::uint32_t slot, generation, known;

  static void on_ended(waiter& self, const failure*, base::thread_context& context) noexcept {
    const subscription s = static_cast<subscription&>(self);
    detail::event_cache::of(context).records.free(&self);
    if (s.of->knows_.load(std::memory_order_relaxed) != known_by(s.to, s.slot, s.generation))
      s.of->send_ended(s.to, s.slot, s.known);
  }
};

remote_events::remote_events(job& j) : job_(j) {
  j.on<&remote_events::on_subscribe>(this);
  j.on<&remote_events::on_ended>(this);
  j.on<&remote_events::on_end>(this);
  j.on<&remote_events::on_refused>(this);
  j.add(*this);
}

remote_events::~remote_events() = default;

void remote_events::serve(base::runtime_context& runtime) {
  table_ = runtime.get<detail::event_table>(base::floor_slot::event);
  detail::set_remote_owner(runtime, this);
}

bool remote_events::reaches(event e) const noexcept {
  const auto owner = job_.rank_of(node_of(e));
  return owner && *owner != job_.self();
}

// Known state.

const failure* remote_events::cause_in(const record& r, std::uint32_t generation) noexcept {
  for (const events_ended::poison& p : r.poisons)
    if (p.generation == generation) return p.cause.get();
  return nullptr;
}

bool remote_events::is_known(const record& r, std::uint32_t generation) noexcept {
  return generation < r.ended_below || std::ranges::find(r.inferred, generation) != r.inferred.end();
}

remote_events::record& remote_events::at(shard& s, event e, rank owner) {
  const auto [it, is_new] = s.records.try_emplace(key_of(e));
  if (is_new && job_.is_lost(owner)) it->second.lost = job_.loss_of(owner);
  return it->second;
}

bool remote_events::add_query(record& r, std::uint32_t generation, waiter* w) {
  const auto asked = std::ranges::find(r.queries, generation, &pending_query::generation);
  const bool is_first = asked == r.queries.end();
  pending_query& q = is_first ? r.queries.emplace_back(pending_query{generation}) : *asked;
  if (w) {
    base::announce_release(w);
    w->next = std::exchange(q.waiters, w);
  }
  return is_first;
}

remote_owner::known_state remote_events::query(event e) {
  shard& s = shard_of(key_of(e));
  std::uint32_t known;
  {
    const std::scoped_lock lock(s.lock);
    record& r = at(s, e, *job_.rank_of(node_of(e)));
    if (const auto* cause = cause_in(r, generation_of(e))) return {state::poisoned, failure_ref::share(cause)};
    if (is_known(r, generation_of(e))) return {state::triggered, {}};
    if (r.lost) return {state::poisoned, r.lost};
    if (!add_query(r, generation_of(e), nullptr)) return {};
    known = r.ended_below;
  }
  send_query(e, known);
  return {};
}

void remote_events::express_interest(event e) { query(e); }

bool remote_events::subscribe(event e, waiter& w, base::thread_context&) {
  shard& s = shard_of(key_of(e));
  std::uint32_t known;
  {
    const std::scoped_lock lock(s.lock);
    record& r = at(s, e, *job_.rank_of(node_of(e)));
    if (is_known(r, generation_of(e)) || r.lost) return false;
    if (!add_query(r, generation_of(e), &w)) return true;
    known = r.ended_below;
  }
  send_query(e, known);
  return true;
}

void remote_events::send_query(event e, std::uint32_t known) {
  job_.send(*job_.rank_of(node_of(e)), event_subscription{slot_of(e), generation_of(e), known});
}

void remote_events::extract_ended(record& r, std::vector<std::pair<waiter*, failure_ref>>& ended) {
  std::erase_if(r.queries, [&](const pending_query& q) {
    if (!is_known(r, q.generation)) return false;
    if (q.waiters) ended.emplace_back(q.waiters, failure_ref::share(cause_in(r, q.generation)));
    return true;
  });
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
    for (const auto& [key, r] : s.records)
      for (const pending_query& q : r.queries)
        if (q.waiters && !walk.is_full())
          detail::add_waiters(q.waiters, walk.at(base::wait_kind::event, key << detail::generation_bits | q.generation),
                              walk);
  }
}

// Triggering an event of another node.

void remote_events::forward_end(event e, failure_ref cause, base::thread_context& context,
                                const std::source_location& where) {
  const rank owner = *job_.rank_of(node_of(e));
  const auto generation = generation_of(e);
  bool knows = false;
  std::vector<std::pair<waiter*, failure_ref>> ended;
  if (!cause) {
    shard& s = shard_of(key_of(e));
    const std::scoped_lock lock(s.lock);
    // If nothing was queried and nothing can be inferred, no record is needed.
    if (const auto it = s.records.find(key_of(e)); it != s.records.end() && !it->second.lost) {
      record& r = it->second;
      const bool is_asked = std::ranges::find(r.queries, generation, &pending_query::generation) != r.queries.end();
      if (is_known(r, generation)) {
        // It had ended before; the owner will report that.
      } else if (generation == r.ended_below) {
        ++r.ended_below;
        std::ranges::sort(r.inferred);
        while (!r.inferred.empty() && r.inferred.front() <= r.ended_below) {
          r.ended_below = std::max(r.ended_below, r.inferred.front() + 1);
          r.inferred.erase(r.inferred.begin());
        }
        knows = true;
      } else if (is_asked) {
        r.inferred.push_back(generation);
        knows = r.inferred.size() < most_inferred;  // else a notification is wanted, which empties the list
      }
      extract_ended(r, ended);
    }
  }
  job_.send(owner, event_end{slot_of(e), generation, knows, where, std::move(cause)});
  for (auto& [list, why] : ended) detail::fire_all(list, why.get(), context);
}

void remote_events::on_ended(rank from, const events_ended& m, base::thread_context& context) {
  const event any = detail::handle_of(job_.node_of(from), m.slot, 1);
  std::vector<std::pair<waiter*, failure_ref>> ended;
  {
    shard& s = shard_of(key_of(any));
    const std::scoped_lock lock(s.lock);
    record& r = at(s, any, from);
    // Known and inferred results do not change.
    for (const events_ended::poison& p : m.poisons)
      if (!is_known(r, p.generation)) r.poisons.push_back(p);
    r.ended_below = std::max(r.ended_below, m.generation);
    std::erase_if(r.inferred, [&](std::uint32_t g) { return g < r.ended_below; });
    extract_ended(r, ended);
  }
  for (auto& [list, why] : ended) detail::fire_all(list, why.get(), context);
}

void remote_events::on_refused(rank, const event_end_refused& m, base::thread_context& context) {
  if (m.why) detail::report(m.why, context);
}

void remote_events::lost(rank node, base::thread_context& context) noexcept {
  const failure_ref loss = job_.loss_of(node);
  std::vector<waiter*> ended;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [key, r] : s.records) {
      if (job_.rank_of(static_cast<std::uint16_t>(key >> detail::slot_bits)) != node) continue;
      r.lost = loss;
      for (const pending_query& q : std::exchange(r.queries, {}))
        if (q.waiters) ended.push_back(q.waiters);
    }
  }
  for (waiter* list : ended) detail::fire_all(list, loss.get(), context);
}

// On the owner.

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
  // In the table's memory, so that nothing leaks if the event never ends.
  static_assert(sizeof(subscription) <= detail::event_table::record_bytes &&
                std::is_trivially_destructible_v<subscription>);
  auto* s = new (detail::event_cache::of(context).records.allocate()) subscription;
  s->fire = subscription::on_ended;
  s->of = this;
  s->to = from;
  s->slot = m.slot;
  s->generation = m.generation;
  s->known = m.known_below;
  if (!table_->at(m.slot).subscribe(m.generation, *s)) subscription::on_ended(*s, nullptr, context);
}

void remote_events::on_end(rank from, const event_end& m, base::thread_context& context) {
  if (m.slot >= table_->carved()) return;
  if (m.is_known) knows_.store(known_by(from, m.slot, m.generation), std::memory_order_relaxed);
  const event e = detail::handle_of(job_.node(), m.slot, m.generation);
  try {
    detail::end_event(e, m.cause, context, m.where);
  } catch (...) {
    job_.send(from,
              event_end_refused{detail::make_failure(std::current_exception(), "event " + to_string(e), m.where)});
  }
  knows_.store(0, std::memory_order_relaxed);
}

}  // namespace stretto::dist
