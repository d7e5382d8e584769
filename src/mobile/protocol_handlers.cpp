// protocol_handlers.cpp - handlers of protocol messages: location updates, destroyed objects, resends, pinned messages.
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

void mobile_objects::on(rank, const object_arrived& m) {
  shard& s = shard_of(m.object);
  const std::scoped_lock lock(s.lock);
  if (entry* const e = s.find(m.object); e && e->home && e->epoch == m.epoch) e->home->is_moving = false;
}

void mobile_objects::on(rank from, const lost_in_transit& m) { on_loss_at(from, m.object, m.cause); }

void mobile_objects::on(rank from, const object_failed& m) {
  std::string name;
  {
    shard& s = shard_of(m.object);
    const std::scoped_lock lock(s.lock);
    if (const entry* const e = s.find(m.object)) name = e->name;
  }
  on_loss_at(from, m.object, loss_failure(m.object, name, *m.cause.get()));
}

void mobile_objects::on(rank, const object_lost& m) { on_loss_at(no_rank, m.object, m.cause); }

void mobile_objects::on_loss_at(rank location, object_id id, failure_ref cause) {
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || e->local || (location != no_rank && (e->loss || e->location != location))) return;
    if (!e->loss) declare_lost(id, *e, cause, actions);
  }
  run(actions);
  fail_unanswered(id, cause);
}

void mobile_objects::on(rank from, const object_message& m) {
  auto msg = from_header(m.header, m.name.text, job_->node_of(from));
  if (m.refused) msg->refused = m.refused;
  const std::span<const std::byte> arguments = m.arguments;
  if (arguments.size() <= remote_message::max_inline_bytes) msg->store_inline(arguments);
  else try {
      msg->received = job_->keep(arguments);
      msg->received_bytes = arguments.size();
    } catch (const std::bad_alloc&) {
      return reject_message(std::move(msg), job_->no_room_for(job_->kind_of<object_message>(), from, arguments.size()));
    }
  msg->memory = {job_->pressure(), dist::back_pressure::kind::received, arguments.size()};
  ++msg->routing.hops;
  deliver(std::move(msg));
}

void mobile_objects::on(rank, const location_update& m) {
  const auto [id, where, epoch] = m;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || e->local || e->home || epoch < e->epoch) return;
    if (epoch > e->epoch) {
      e->location = where;
      e->epoch = epoch;
      e->was_sent_there = false;
      if (where != self_) release_parked(*e, actions, epoch);  // messages for a newer epoch stay parked
    }
  }
  run(actions);
  // Messages sent to a failed location are lost.
  if (where != self_ && is_lost(where))
    for (const auto& msg : unanswered(id)) resend(*msg, where);
}

void mobile_objects::on(rank, const object_destroyed& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || e->local) return;
    if (e->awaited_from != no_rank)
      actions.send.push_back(
          // the node that would report it has failed
          {home_of(id), object_destroyed{id}});
    release_parked(*e, actions);
    notify_visited(id, *e, actions);
    actions.drop.push_back(std::move(e->departed));
    s.all.erase(id);
  }
  run(actions);
}

void mobile_objects::release_parked(entry& e, deferred_actions& actions) {
  release_parked(e, actions, std::numeric_limits<std::uint32_t>::max());
}

void mobile_objects::release_parked(entry& e, deferred_actions& actions, std::uint32_t until) {
  std::erase_if(e.parked, [&](std::unique_ptr<remote_message>& msg) {
    if (msg->routing.epoch > until) return false;
    msg->routing.epoch = 0;
    actions.deliver.push_back(std::move(msg));
    return true;
  });
}

void mobile_objects::notify_visited(object_id id, const entry& e, deferred_actions& actions) {
  if (!e.home) return;
  for (const rank r : e.home->visited)
    if (r != self_ && !is_lost(r)) actions.send.push_back({r, object_destroyed{id}});
}

void mobile_objects::on(rank, const resend_request& m) {
  const auto [id, whom] = m;
  if (whom != self_) {  // for a node that lost contact with the sender
    if (!is_lost(whom)) send(whom, m);
    return;
  }
  for (const auto& msg : unanswered(id)) resend(*msg, no_rank);
}

void mobile_objects::on(rank by, const location_query& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    const entry* const e = s.find(id);
    if (!e || !e->home) {
      actions.send.push_back({by, object_destroyed{id}});
    } else if (e->loss) {
      actions.send.push_back({by, object_lost{id, e->loss}});
    } else if (e->location != by) {
      actions.send.push_back({by, location_update{id, e->location, e->epoch}});
    }
  }
  run(actions);
}

void mobile_objects::on(rank by, const pinned_message_arrived& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    if (entry* const e = s.find(id); e && e->home) unpin(id, *e, by, 1, actions);
  }
  run(actions);
}

void mobile_objects::unpin(object_id id, entry& e, rank there, std::uint32_t messages, deferred_actions& actions) {
  home_record& h = *e.home;
  const auto found = h.pinned.find(there);
  if (found == h.pinned.end()) return;
  if (found->second > messages) found->second -= messages;
  else h.pinned.erase(found);
  if (!h.pinned.empty() || h.requested_destination == no_rank) return;
  const rank to = std::exchange(h.requested_destination, no_rank);
  if (!e.loss && !is_lost(to)) grant_migration(id, e, to, actions);
  else deny_migration(id, e, actions);
}

}  // namespace stretto::mobiles
