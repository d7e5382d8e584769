// protocol_handlers.cpp - handlers of protocol messages: location updates, destroyed objects, resends, pinned messages.
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

void mobile_objects::send(rank to, protocol_message what, dist::writer&& payload) {
  if (to != self_) {
    ++protocol_messages_sent_;
    return job_->send(to, kinds_[static_cast<std::size_t>(what)], std::move(payload));
  }
  dist::reader content(payload.all());
  dispatch(what, self_, content);
}

void mobile_objects::dispatch(protocol_message what, rank from, dist::reader& c) {
  switch (what) {
    case protocol_message::message: return on_message(from, c);
    case protocol_message::broadcast: return on_broadcast(from, c);
    case protocol_message::aggregated_replies: return on_aggregated_replies(from, c);
    case protocol_message::value_reply: return on_reply(reply_kind::value, from, c);
    case protocol_message::value_and_end_reply: return on_reply(reply_kind::value_and_end, from, c);
    case protocol_message::end_reply: return on_reply(reply_kind::end, from, c);
    case protocol_message::object: return on_object(from, c);
    case protocol_message::batched_replies:
      while (c.left() >= sizeof(std::uint64_t))
        complete_request(reply_kind::value_and_end, c.get<std::uint64_t>(), from, {}, {});
      return;
    case protocol_message::executed_at: {
      const auto request = c.get<std::uint64_t>();
      return on_executed_at(request, c.get<rank>());
    }
    default: break;
  }
  const auto id = c.get<object_id>();
  switch (what) {
    case protocol_message::location_update: {
      const auto where = c.get<rank>();
      return on_location_update(id, where, c.get<std::uint32_t>());
    }
    case protocol_message::pinned_message_arrived: return on_pinned_message_arrived(from, id);
    case protocol_message::migration_request: return on_migration_request(from, id, c.get<rank>());
    case protocol_message::migration_decision: return on_migration_decision(id, c.get<std::uint32_t>());
    case protocol_message::migration_cancelled: return on_migration_cancelled(id, c.get<std::uint32_t>());
    case protocol_message::cancellation_request: return on_cancellation_request(from, id);
    case protocol_message::object_arrived: {
      shard& s = shard_of(id);
      const std::scoped_lock lock(s.lock);
      if (entry* const e = s.find(id); e && e->home && e->epoch == c.get<std::uint32_t>()) e->home->is_moving = false;
      return;
    }
    case protocol_message::arrival_query: {
      const auto epoch = c.get<std::uint32_t>();
      return on_arrival_query(id, epoch, c.get<rank>());
    }
    case protocol_message::object_destroyed: return on_object_destroyed(id);
    case protocol_message::location_query: return on_location_query(from, id);
    case protocol_message::departure_query: return on_departure_query(from, id);
    case protocol_message::not_departed: return on_not_departed(from, id);
    case protocol_message::recall: return on_recall(from, id, c.get<std::uint32_t>());
    case protocol_message::already_departed: return on_already_departed(id, c.get<std::uint32_t>());
    case protocol_message::object_accepted: return on_object_accepted(id, c.get<std::uint32_t>());
    case protocol_message::object_rejected: {
      const auto epoch = c.get<std::uint32_t>();
      return on_object_rejected(id, epoch, failures_->read(c, from));
    }
    case protocol_message::resend_request: return on_resend_request(id, c.get<rank>());
    case protocol_message::lost_in_transit:
    case protocol_message::object_failed:
    case protocol_message::object_lost: {
      failure_ref cause = failures_->read(c, from);
      deferred_actions actions;
      {
        shard& s = shard_of(id);
        const std::scoped_lock lock(s.lock);
        entry* const e = s.find(id);
        if (!e || e->local || (what != protocol_message::object_lost && (e->loss || e->location != from))) return;
        if (what == protocol_message::object_failed) cause = loss_failure(id, e->name, *cause.get());
        if (!e->loss) declare_lost(id, *e, cause, actions);
      }
      run(actions);
      return fail_unanswered(id, cause);
    }
    default: return;
  }
}

void mobile_objects::on_message(rank from, dist::reader& c) {
  std::uint64_t written = 0;
  auto msg = read_header(c, job_->node_of(from), written);
  if (c.get<std::uint8_t>()) msg->refused = failures_->read(c, from);
  const auto arguments = c.get_bytes(written);
  if (arguments.size() <= remote_message::max_inline_bytes) msg->store_inline(arguments);
  else try {
      msg->received = job_->keep(arguments);
      msg->received_bytes = arguments.size();
    } catch (const std::bad_alloc&) {
      return reject_message(
          std::move(msg),
          job_->no_room_for(kinds_[static_cast<std::size_t>(protocol_message::message)], from, written));
    }
  msg->memory = {job_->pressure(), dist::back_pressure::kind::received, arguments.size()};
  ++msg->routing.hops;
  deliver(std::move(msg));
}

void mobile_objects::on_location_update(object_id id, rank where, std::uint32_t epoch) {
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

void mobile_objects::on_object_destroyed(object_id id) {
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || e->local) return;
    if (e->awaited_from != no_rank)
      actions.send.push_back(
          // the node that would report it has failed
          {home_of(id), protocol_message::object_destroyed, dist::writer(id)});
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
    if (r != self_ && !is_lost(r)) actions.send.push_back({r, protocol_message::object_destroyed, dist::writer(id)});
}

void mobile_objects::on_resend_request(object_id id, rank whom) {
  if (whom != self_) {  // for a node that lost contact with the sender
    if (!is_lost(whom)) send(whom, protocol_message::resend_request, dist::writer(id, whom));
    return;
  }
  for (const auto& msg : unanswered(id)) resend(*msg, no_rank);
}

void mobile_objects::on_location_query(rank by, object_id id) {
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    const entry* const e = s.find(id);
    if (!e || !e->home) {
      actions.send.push_back({by, protocol_message::object_destroyed, dist::writer(id)});
    } else if (e->loss) {
      dist::writer w(id);
      failures_->write(w, *e->loss.get());
      actions.send.push_back({by, protocol_message::object_lost, std::move(w)});
    } else if (e->location != by) {
      actions.send.push_back({by, protocol_message::location_update, dist::writer(id, e->location, e->epoch)});
    }
  }
  run(actions);
}

void mobile_objects::on_pinned_message_arrived(rank by, object_id id) {
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
