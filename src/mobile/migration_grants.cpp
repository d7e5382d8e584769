#include "mobile/migration_grants.hpp"

#include <mutex>
#include <utility>

#include "base/numbers.hpp"

namespace stretto::mobiles {

void migration_grants::unpin(object_id id, object_entry& e, rank there, std::uint32_t messages,
                             deferred_actions& actions) const {
  home_record& h = *e.home;
  const auto found = h.pinned.find(there);
  if (found == h.pinned.end()) return;
  if (found->second > messages) found->second -= messages;
  else h.pinned.erase(found);
  if (!h.pinned.empty() || h.requested_destination == no_rank) return;
  const rank to = std::exchange(h.requested_destination, no_rank);
  if (!e.loss && !homes_.is_lost(to)) grant(id, e, to, actions);
  else deny(id, e, actions);
}

void migration_grants::on(rank from, const migration_request& m) {
  const auto [id, to] = m;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (!e || !e->home || e->loss || homes_.is_lost(to)) actions.send.push_back({from, migration_decision{id, {}}});
    else if (!e->home->pinned.empty()) e->home->requested_destination = to;
    else grant(id, *e, to, actions);
  }
  runner_.run(actions);
}

void migration_grants::on(rank from, const cancellation_request& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (!e || !e->home) return;
    if (e->loss) {  // other nodes know already that the object is lost
      actions.send.push_back({from, migration_cancelled{id, e->epoch}});
    } else {
      const rank destination = std::exchange(e->location, from);
      e->was_sent_there = false;
      e->epoch = base::next(e->epoch);
      e->home->is_moving = false;
      actions.send.push_back({from, migration_cancelled{id, e->epoch}});
      if (destination != homes_.self()) actions.send.push_back({destination, location_update{id, from, e->epoch}});
      release_parked(*e, actions);
      release_blocked(*e->home, actions);
    }
  }
  runner_.run(actions);
}

void migration_grants::on(rank, const object_arrived& m) {
  auto& s = directory_.shard_of(m.object);
  const std::scoped_lock lock(s.lock);
  if (object_entry* const e = s.find(m.object); e && e->home && e->epoch == m.epoch) e->home->is_moving = false;
}

void migration_grants::on(rank by, const pinned_message_arrived& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    if (object_entry* const e = s.find(id); e && e->home) unpin(id, *e, by, 1, actions);
  }
  runner_.run(actions);
}

void migration_grants::grant(object_id id, object_entry& e, rank to, deferred_actions& actions) {
  home_record& h = *e.home;
  h.moving_from = e.location;
  h.is_moving = true;
  h.visited.insert(to);
  e.location = to;
  e.was_sent_there = false;
  e.epoch = base::next(e.epoch);
  actions.send.push_back({h.moving_from, migration_decision{id, e.epoch}});
  release_blocked(h, actions);
}

void migration_grants::deny(object_id id, object_entry& e, deferred_actions& actions) {
  actions.send.push_back({e.location, migration_decision{id, {}}});
  release_blocked(*e.home, actions);
}

}  // namespace stretto::mobiles
