// message_routing.cpp - routes a message that this node has received or sends, and advances local objects: an object
// begins messages, or leaves.
#include <algorithm>
#include <mutex>
#include <utility>

#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

using sched::thread_state;

mobile_objects::decision mobile_objects::decide_route(const entry* e, const remote_message& msg) const {
  if (msg.action_taken() == message_action::make && msg.target == self_) return {decision::construct};
  if (e && e->local) return {decision::accept};
  const rank home = home_of(msg.object);
  if (home == self_ && !(e && e->home)) return {.what = decision::reject, .cause = destroyed_failure(msg.object, {})};
  if (is_lost(home))
    return msg.from == self_
               ? decision{.what = decision::reject,
                          .cause = e && e->loss ? e->loss : node_loss_failure(msg.object, e, home, "was created on")}
               : decision{decision::return_to_sender};  // the sender may reach the home node
  if (msg.routing.epoch > (e ? e->epoch : 0)) return {decision::park};
  // lost to this node, perhaps not to the sender
  if (e && e->loss && home != self_ && msg.from != self_) return {decision::return_to_sender};
  if (e && e->loss) return {.what = decision::reject, .cause = e->loss};
  if (e && e->epoch && e->location == self_) return {decision::park};  // the object is on its way here
  if (home == self_) {
    if (is_lost(e->location)) return {decision::hold_at_home};  // the object may not have left
    if (e->location == msg.routing.avoid)
      return {.what = decision::reject, .cause = node_loss_failure(msg.object, e, e->location, "is on")};
    const bool pins_object = msg.routing.hops >= max_forwards;
    if (pins_object && e->home->requested_destination != no_rank) return {decision::hold_at_home};
    return {.what = decision::forward,
            .to = e->location,
            .routing = {e->epoch, no_rank, msg.routing.hops, pins_object},
            .is_location_known = true};
  }
  if (e && e->epoch && !is_lost(e->location) && e->location != msg.routing.avoid && msg.routing.avoid == no_rank &&
      msg.routing.hops < max_forwards)
    return {.what = decision::forward,
            .to = e->location,
            .routing = {e->epoch, no_rank, msg.routing.hops, false},
            .is_location_known = true};
  return {.what = decision::forward, .to = home, .routing = {0, msg.routing.avoid, msg.routing.hops, false}};
}

void mobile_objects::deliver(std::unique_ptr<remote_message> msg) {
  deferred_actions actions;
  {
    const object_id id = msg->object;
    const rank from = msg->from, home = home_of(id);
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* e = s.find(id);
    if (msg->routing.pins_object && msg->routing.hops) {
      actions.send.push_back({home, pinned_message_arrived{id}});
      msg->routing.pins_object = false;
    }
    const decision d = decide_route(e, *msg);
    s.counters.most_hops = std::max<std::uint64_t>(s.counters.most_hops, msg->routing.hops);
    switch (d.what) {
      case decision::accept: accept_message(*e, std::move(msg), actions); break;
      case decision::construct:
        begin_construction(s.all[id], std::move(msg), actions);
        ++s.counters.objects;
        break;
      case decision::park:
        e = &s.all[id];
        // The object may have been destroyed, and this node may have deleted its entry.
        if (e->parked.empty() && home != self_) actions.send.push_back({home, location_query{id}});
        e->parked.push_back(std::move(msg));
        break;
      case decision::hold_at_home: e->home->blocked.push_back(std::move(msg)); break;
      case decision::return_to_sender:
        actions.send.push_back({from, resend_request{id, from}});
        actions.discard.push_back(std::move(msg));
        break;
      case decision::reject: actions.complete.push_back({msg.release(), d.cause}); break;
      case decision::forward:
        if (d.routing.pins_object) ++e->home->pinned[d.to];
        if (from != self_) {
          ++s.counters.passed_on;
          record_forward(d.to, from);
          if (d.is_location_known) actions.send.push_back({from, location_update{id, d.to, e->epoch}});
        }
        actions.forward.push_back({d.to, std::move(msg), d.routing});
        break;
    }
  }
  run(actions);
}

void mobile_objects::accept_message(entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions) {
  local_object& o = *e.local;
  sender_state& sender = o.sender(msg->from);
  // nobody waits for a reply, and earlier messages may be missing
  if (msg->from != self_ && is_lost(msg->from)) return;
  sender.forget_below(msg->answered_below);
  if (!msg->type) msg->type = message_type_at(msg->function);
  if (msg->refused && o.skip(sender, msg->number)) {
    failure_ref cause = sender.refused[msg->number] = msg->refused;
    actions.complete.push_back({msg.release(), std::move(cause), false});
    return advance_object(o, actions);
  }
  if (o.accept(sender, *msg) != acceptance::duplicate) {
    msg.release();
    return advance_object(o, actions);
  }
  // Duplicate. If this node handled it, the reply was or will be sent. If another node handled it, the reply may have
  // been lost with that node.
  if (const auto refused = sender.refused.find(msg->number); refused != sender.refused.end()) {
    actions.complete.push_back({msg.release(), refused->second, false});
  } else if (msg->action_taken() == message_action::migrate) {
    if (!o.has_pending_migration(msg->from, msg->request)) actions.complete.push_back({msg.release(), {}});
  } else if (const rank on = sender.handled_on(msg->number); on != no_rank) {
    actions.send.push_back({msg->from, executed_at{msg->request, on}});
  }
  if (msg && msg->reply_share) actions.discard.push_back(std::move(msg));
}

void mobile_objects::begin_construction(entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions) {
  if (!msg->type) msg->type = message_type_at(msg->function);
  e.local = std::make_unique<local_object>(msg->object, msg->type ? msg->type->of : nullptr, msg->name, 1, self_);
  apply_node_state(*e.local);
  if (e.local->type) e.local->load.bytes = e.local->type->bytes;
  e.location = self_;
  e.epoch = 1;
  e.name = msg->name;
  e.local->sender(msg->from).next = 1;
  e.local->acquire_exclusively();
  release_parked(e, actions);
  msg->handled_object = e.local.get();
  actions.begin.push(*msg.release());
}

void mobile_objects::advance_object(local_object& o, deferred_actions& actions) {
  while (!o.is_leaving && !o.pending_migrations().empty() && (!o.is_paused || o.may_migrate_while_paused)) {
    message& msg = *o.pending_migrations().front();
    const rank to =
        msg.is_remote ? static_cast<remote_message&>(msg).target : static_cast<local_migration&>(msg).target;
    if (to == self_) {
      complete_migration(o, {}, actions);
    } else if (is_lost(to)) {
      complete_migration(o, failure_ref(job_->loss_of(to)), actions);
    } else if (is_lost(home_of(o.id))) {
      complete_migration(o, node_loss_failure(o.id, nullptr, home_of(o.id), "was created on"), actions);
    } else {
      o.is_leaving = true;
      o.destination = to;
      actions.send.push_back({home_of(o.id), migration_request{o.id, to}});
    }
  }
  if (!o.is_leaving) return o.begin_ready(actions.begin);
  if (o.is_migration_granted && o.is_free() && !o.is_packing) {
    o.is_packing = true;
    actions.pack = &o;
  }
}

void mobile_objects::run(deferred_actions& actions) {
  if (!actions.begin.is_empty()) {
    thread_state& t = current_thread();
    while (message* const msg = actions.begin.pop()) begin_handler(*msg, t);
  }
  for (auto& p : actions.forward) {
    p.what->memory.end();  // it was received and has not begun
    p.what->reply_share.end();
    forward(p.to, std::move(p.what), p.routing);
  }
  for (const auto& n : actions.send) std::visit([&](const auto& m) { send(n.to, m); }, n.what);
  for (auto& msg : actions.complete) complete_unhandled(*msg.what, std::move(msg.cause), msg.is_permanent);
  for (auto& msg : actions.discard) msg->reply_share.end();
  for (auto& msg : actions.deliver) deliver(std::move(msg));
  if (actions.pack) pack_object(*actions.pack);
}

}  // namespace stretto::mobiles
