// node_failure.cpp - a node fails: finds the objects that are lost with it, and resends messages.
#include <limits>

#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

void mobile_objects::declare_lost(object_id id, entry& e, failure_ref cause, deferred_actions& actions) {
  e.loss = std::move(cause);
  for (auto& msg : e.parked) actions.complete.push_back({msg.release(), e.loss});
  e.parked.clear();
  if (!e.home) return;
  for (auto& msg : e.home->blocked) actions.complete.push_back({msg.release(), e.loss});
  e.home->blocked.clear();
  // Any node may wait for a reply to a message that it sent to the failed node: tell all.
  for (rank r = 0; r < nodes(); ++r)
    if (r != self_ && !is_lost(r)) actions.send.push_back({r, object_lost{id, e.loss}});
}

void mobile_objects::on_home_failed(entry& e, object_id id, rank node, deferred_actions& actions) {
  if (!e.local) {
    if (!e.loss) declare_lost(id, e, node_loss_failure(id, &e, node, "was created on"), actions);
    return;
  }
  // The object stays, for nodes that need not ask its home node.
  if (!e.local->is_leaving || e.local->is_migration_granted) return;
  e.local->is_leaving = e.local->is_packing = false;
  complete_migration(*e.local, node_loss_failure(id, &e, node, "was created on"), actions);
  advance_object(*e.local, actions);
}

void mobile_objects::on_host_failed(entry& e, object_id id, rank node, deferred_actions& actions) {
  if (e.home && !e.loss) {
    // The object may not have left for the failed node: ask its source.
    const bool may_stay = e.home->is_moving && e.home->moving_from != node && !is_lost(e.home->moving_from);
    if (e.location == node && !may_stay) return declare_lost(id, e, node_loss_failure(id, &e, node, "was on"), actions);
    if (e.location == node) actions.send.push_back({e.home->moving_from, recall{id, e.epoch}});
    if (e.home->is_moving && e.home->moving_from == node && is_lost(e.location))
      return declare_lost(id, e, node_loss_failure(id, &e, node, "was on"), actions);
    if (e.home->is_moving && e.home->moving_from == node)
      actions.send.push_back({e.location, arrival_query{id, e.epoch, node}});
  }
  if (e.home) unpin(id, e, node, std::numeric_limits<std::uint32_t>::max(), actions);  // these messages are lost
  // Replies from this node no longer reach the failed node. Ask the home node to tell the failed node to resend.
  if (e.departed && e.departed->what->destination == node) actions.drop.push_back(std::move(e.departed));
  if (e.local || e.was_here) actions.send.push_back({home_of(id), resend_request{id, node}});
  if (e.local) {
    local_object& o = *e.local;
    if (o.is_leaving && o.is_migration_granted && !o.is_packing && o.destination == node) cancel_migration(o, actions);
    o.sender(node).drop_out_of_order();  // the messages before these will not arrive
  } else if (e.was_sent_there && e.location == node) {
    actions.send.push_back({home_of(id), arrival_query{id, e.epoch, self_}});
  } else if (e.awaited_from == node) {
    report_lost_in_transit(id, e, node, actions);
  }
}

void mobile_objects::report_lost_in_transit(object_id id, entry& e, rank from, deferred_actions& actions) {
  e.awaited_from = no_rank;
  actions.send.push_back({home_of(id), lost_in_transit{id, node_loss_failure(id, &e, from, "was on its way from")}});
}

/// The object will arrive, or its source fails or has kept it.
void mobile_objects::await_object(object_id id, entry& e, rank from, deferred_actions& actions) {
  e.awaited_from = from;
  actions.send.push_back({from, departure_query{id}});
}

void mobile_objects::on(rank by, const departure_query& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    const entry* const e = s.find(id);
    const bool is_sent = e && e->was_sent_there && e->location == by;
    const bool goes = e && e->local && e->local->is_migration_granted;
    // The grant of the home node cannot reach this node, so the object stays; or the object has been destroyed.
    if (!is_sent && !goes) actions.send.push_back({by, not_departed{id}});
  }
  run(actions);
}

void mobile_objects::on(rank from, const not_departed& m) {
  const object_id id = m.object;
  deferred_actions actions;
  failure_ref cause;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || e->local || e->awaited_from != from) return;
    if (e->home) e->awaited_from = no_rank, declare_lost(id, *e, node_loss_failure(id, e, from, "stays on"), actions);
    else report_lost_in_transit(id, *e, from, actions);
    if (e && e->home) cause = e->loss;
  }
  run(actions);
  if (cause) fail_unanswered(id, cause);
}

/// The home node has lost contact with the destination: cancel the migration, or the home node loses the object.
void mobile_objects::on(rank by, const recall& m) {
  const auto [id, epoch] = m;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    local_object* const o = e ? e->local.get() : nullptr;
    if (!o || o->epoch < epoch) {
      actions.send.push_back({by, already_departed{id, epoch}});
    } else if (o->is_leaving && o->is_migration_granted && o->epoch == epoch) {
      if (o->is_packing) o->is_recalled = true;
      else cancel_migration(*o, actions);
    }
  }
  run(actions);
}

void mobile_objects::on(rank, const already_departed& m) {
  const auto [id, epoch] = m;
  deferred_actions actions;
  failure_ref cause;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->home || e->loss || e->epoch != epoch || !is_lost(e->location)) return;
    declare_lost(id, *e, node_loss_failure(id, e, e->location, "is on"), actions);
    cause = e->loss;
  }
  run(actions);
  fail_unanswered(id, cause);
}

void mobile_objects::on(rank, const arrival_query& m) {
  const auto [id, epoch, from] = m;
  deferred_actions actions;
  failure_ref cause;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = s.all[id];
    if (e.home) {  // the source has lost contact with the destination: ask the destination
      if (!e.loss && e.epoch == epoch && is_lost(e.location))
        declare_lost(id, e, node_loss_failure(id, &e, e.location, "was on"), actions);
      else if (!e.loss && e.home->is_moving && e.epoch == epoch && e.location != self_)
        actions.send.push_back({e.location, arrival_query{id, epoch, from}});
      else if (!e.loss && e.home->is_moving && e.epoch == epoch && !e.local)
        is_lost(from) ? declare_lost(id, e, node_loss_failure(id, &e, from, "was on its way from"), actions)
                      : await_object(id, e, from, actions);
    } else if (!e.local && (e.epoch < epoch || (e.epoch == epoch && e.location == self_))) {
      if (is_lost(from)) report_lost_in_transit(id, e, from, actions);
      else await_object(id, e, from, actions);
    }
    if (e.home) cause = e.loss;
  }
  run(actions);
  if (cause) fail_unanswered(id, cause);
}

void mobile_objects::lost(rank node, base::thread_context& context) noexcept {
  deferred_actions actions;
  for (shard& s : shards_) {
    const std::scoped_lock lock(s.lock);
    for (auto& [id, e] : s.all) {
      if (home_of(id) == node) on_home_failed(e, id, node, actions);
      on_host_failed(e, id, node, actions);
    }
  }
  {
    // Messages forwarded to the failed node may come from senders that have not lost it.
    const std::scoped_lock lock(forwarded_lock_);
    for (auto it = forwarded_.lower_bound({node, 0}); it != forwarded_.end() && it->first == node; ++it)
      if (!is_lost(it->second)) actions.send.push_back({it->second, resend_request{0, it->second}});
  }
  run(actions);
  release_checkpoints(node);
  resume_after_checkpoint(node);
  quiescence_.on_node_failed(node);
  reply_batcher_->on_node_failed(node);
  pending_replies_.on_node_failed(node, job_->loss_of(node), context);
  broadcasts_.on_node_failed(node, job_->loss_of(node), context);
  // The failed node had messages, to handle or to forward, and replies. Which ones is unknown: resend all.
  for (const auto& msg : unanswered()) {
    const rank home = home_of(msg->object);
    const bool is_construction_lost = msg->action_taken() == message_action::make && msg->target == node;
    if (is_construction_lost || (home == node && !is_here(msg->object)))
      complete_request(reply_stage::value_and_end, msg->request, self_,
                       node_loss_failure(msg->object, nullptr, node, home == node ? "was created on" : "was on"), {});
    else resend(*msg, no_rank);
  }
}

}  // namespace stretto::mobiles
