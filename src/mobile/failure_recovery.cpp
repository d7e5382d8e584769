#include "mobile/failure_recovery.hpp"

#include <limits>
#include <mutex>
#include <utility>

namespace stretto::mobiles {

void failure_recovery::on_node_failed(rank node, deferred_actions& actions) {
  directory_.for_each([&](object_id id, object_entry& e) {
    if (homes_.home_of(id) == node) on_home_failed(e, id, node, actions);
    on_host_failed(e, id, node, actions);
    return true;
  });
}

void failure_recovery::declare_lost(object_id id, object_entry& e, failure_ref cause, deferred_actions& actions) const {
  e.loss = std::move(cause);
  for (auto& msg : e.parked) actions.complete.push_back({msg.release(), e.loss});
  e.parked.clear();
  if (!e.home) return;
  for (auto& msg : e.home->blocked) actions.complete.push_back({msg.release(), e.loss});
  e.home->blocked.clear();
  // Any node may wait for a reply to a message that it sent to the failed node: tell all.
  for (rank r = 0; r < homes_.nodes(); ++r)
    if (r != homes_.self() && !homes_.is_lost(r)) actions.send.push_back({r, object_lost{id, e.loss}});
}

void failure_recovery::on_home_failed(object_entry& e, object_id id, rank node, deferred_actions& actions) const {
  if (!e.local) {
    if (!e.loss) declare_lost(id, e, failures_.of_node_loss(id, &e, node, "was created on"), actions);
    return;
  }
  // The object stays, for nodes that need not ask its home node.
  if (!e.local->is_leaving || e.local->is_migration_granted) return;
  e.local->is_leaving = e.local->is_packing = false;
  local_.complete_migration(*e.local, failures_.of_node_loss(id, &e, node, "was created on"), actions);
  local_.advance(*e.local, actions);
}

void failure_recovery::on_host_failed(object_entry& e, object_id id, rank node, deferred_actions& actions) const {
  if (e.home && !e.loss && !keep_at_home(e, id, node, actions)) return;
  if (e.home)
    grants_.unpin(id, e, node, std::numeric_limits<std::uint32_t>::max(), actions);  // these messages are lost
  // Replies from this node no longer reach the failed node. Ask the home node to tell the failed node to resend.
  if (e.departed && e.departed->what->destination == node) actions.drop.push_back(std::move(e.departed));
  if (e.local || e.was_here) actions.send.push_back({homes_.home_of(id), resend_request{id, node}});
  if (e.local) {
    local_object& o = *e.local;
    if (o.is_leaving && o.is_migration_granted && !o.is_packing && o.destination == node)
      local_.cancel_migration(o, actions);
    o.sender(node).drop_out_of_order();  // the messages before these will not arrive
  } else if (e.was_sent_there && e.location == node) {
    actions.send.push_back({homes_.home_of(id), arrival_query{id, e.epoch, homes_.self()}});
  } else if (e.awaited_from == node) {
    report_lost_in_transit(id, e, node, actions);
  }
}

bool failure_recovery::keep_at_home(object_entry& e, object_id id, rank node, deferred_actions& actions) const {
  // The object may not have left for the failed node: ask its source.
  const bool may_stay = e.home->is_moving && e.home->moving_from != node && !homes_.is_lost(e.home->moving_from);
  if (e.location == node && !may_stay)
    return declare_lost(id, e, failures_.of_node_loss(id, &e, node, "was on"), actions), false;
  if (e.location == node) actions.send.push_back({e.home->moving_from, recall{id, e.epoch}});
  if (e.home->is_moving && e.home->moving_from == node && homes_.is_lost(e.location))
    return declare_lost(id, e, failures_.of_node_loss(id, &e, node, "was on"), actions), false;
  if (e.home->is_moving && e.home->moving_from == node)
    actions.send.push_back({e.location, arrival_query{id, e.epoch, node}});
  return true;
}

void failure_recovery::report_lost_in_transit(object_id id, object_entry& e, rank from,
                                              deferred_actions& actions) const {
  e.awaited_from = no_rank;
  actions.send.push_back(
      {homes_.home_of(id), lost_in_transit{id, failures_.of_node_loss(id, &e, from, "was on its way from")}});
}

void failure_recovery::await_object(object_id id, object_entry& e, rank from, deferred_actions& actions) {
  e.awaited_from = from;
  actions.send.push_back({from, departure_query{id}});
}

void failure_recovery::on(rank by, const departure_query& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    const object_entry* const e = s.find(id);
    const bool is_sent = e && e->was_sent_there && e->location == by;
    const bool goes = e && e->local && e->local->is_migration_granted;
    // The grant of the home node cannot reach this node, so the object stays; or the object has been destroyed.
    if (!is_sent && !goes) actions.send.push_back({by, not_departed{id}});
  }
  runner_.run(actions);
}

void failure_recovery::on(rank from, const not_departed& m) {
  const object_id id = m.object;
  deferred_actions actions;
  failure_ref cause;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (!e || e->local || e->awaited_from != from) return;
    if (e->home)
      e->awaited_from = no_rank, declare_lost(id, *e, failures_.of_node_loss(id, e, from, "stays on"), actions);
    else report_lost_in_transit(id, *e, from, actions);
    if (e && e->home) cause = e->loss;
  }
  runner_.run(actions);
  if (cause) replies_.fail_unanswered(id, cause);
}

// The home node has lost contact with the destination: cancel the migration, or the home node loses the object.
void failure_recovery::on(rank by, const recall& m) {
  const auto [id, epoch] = m;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    local_object* const o = e ? e->local.get() : nullptr;
    if (!o || o->epoch < epoch) {
      actions.send.push_back({by, already_departed{id, epoch}});
    } else if (o->is_leaving && o->is_migration_granted && o->epoch == epoch) {
      if (o->is_packing) o->is_recalled = true;
      else local_.cancel_migration(*o, actions);
    }
  }
  runner_.run(actions);
}

void failure_recovery::on(rank, const already_departed& m) {
  const auto [id, epoch] = m;
  deferred_actions actions;
  failure_ref cause;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (!e || !e->home || e->loss || e->epoch != epoch || !homes_.is_lost(e->location)) return;
    declare_lost(id, *e, failures_.of_node_loss(id, e, e->location, "is on"), actions);
    cause = e->loss;
  }
  runner_.run(actions);
  replies_.fail_unanswered(id, cause);
}

/// The source has lost contact with the destination: ask the destination.
void failure_recovery::on_query_at_home(const arrival_query& m, object_entry& e, deferred_actions& actions) const {
  const auto [id, epoch, from] = m;
  if (!e.loss && e.epoch == epoch && homes_.is_lost(e.location))
    declare_lost(id, e, failures_.of_node_loss(id, &e, e.location, "was on"), actions);
  else if (!e.loss && e.home->is_moving && e.epoch == epoch && e.location != homes_.self())
    actions.send.push_back({e.location, arrival_query{id, epoch, from}});
  else if (!e.loss && e.home->is_moving && e.epoch == epoch && !e.local)
    homes_.is_lost(from) ? declare_lost(id, e, failures_.of_node_loss(id, &e, from, "was on its way from"), actions)
                         : await_object(id, e, from, actions);
}

void failure_recovery::on(rank, const arrival_query& m) {
  const auto [id, epoch, from] = m;
  deferred_actions actions;
  failure_ref cause;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry& e = s.all[id];
    if (e.home) {
      on_query_at_home(m, e, actions);
    } else if (!e.local && (e.epoch < epoch || (e.epoch == epoch && e.location == homes_.self()))) {
      if (homes_.is_lost(from)) report_lost_in_transit(id, e, from, actions);
      else await_object(id, e, from, actions);
    }
    if (e.home) cause = e.loss;
  }
  runner_.run(actions);
  if (cause) replies_.fail_unanswered(id, cause);
}

void failure_recovery::on_loss_at(rank location, object_id id, failure_ref cause) {
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (!e || e->local || (location != no_rank && (e->loss || e->location != location))) return;
    if (!e->loss) declare_lost(id, *e, cause, actions);
  }
  runner_.run(actions);
  replies_.fail_unanswered(id, cause);
}

}  // namespace stretto::mobiles
