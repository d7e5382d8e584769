#include "mobile/message_router.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

namespace stretto::mobiles {

message_router::decision message_router::decide_route(const object_entry* e, const remote_message& msg) const {
  if (msg.action_taken() == message_action::make && msg.target == homes_.self()) return {decision::construct};
  if (e && e->local) return {decision::accept};
  const rank home = homes_.home_of(msg.object);
  if (home == homes_.self() && !(e && e->home))
    return {.what = decision::reject, .cause = failures_.destroyed(msg.object, {}), .is_permanent = false};
  if (homes_.is_lost(home))
    return msg.from == homes_.self()
               ? decision{.what = decision::reject,
                          .cause =
                              e && e->loss ? e->loss : failures_.of_node_loss(msg.object, e, home, "was created on")}
               : decision{decision::return_to_sender};  // the sender may reach the home node
  if (msg.routing.epoch > (e ? e->epoch : unknown_epoch)) return {decision::park};
  // lost to this node, perhaps not to the sender
  if (e && e->loss && home != homes_.self() && msg.from != homes_.self()) return {decision::return_to_sender};
  if (e && e->loss) return {.what = decision::reject, .cause = e->loss};
  if (e && e->epoch != unknown_epoch && e->location == homes_.self())
    return {decision::park};  // the object is on its way here
  if (home == homes_.self()) return decide_at_home(*e, msg);
  if (e && e->epoch != unknown_epoch && !homes_.is_lost(e->location) && e->location != msg.routing.avoid &&
      msg.routing.avoid == no_rank && msg.routing.hops < max_forwards)
    return {.what = decision::forward,
            .to = e->location,
            .routing = {e->epoch, no_rank, msg.routing.hops, false},
            .is_location_known = true};
  return {
      .what = decision::forward, .to = home, .routing = {unknown_epoch, msg.routing.avoid, msg.routing.hops, false}};
}

/// This node is the home node, the object is elsewhere, and nobody has given it up.
message_router::decision message_router::decide_at_home(const object_entry& e, const remote_message& msg) const {
  if (homes_.is_lost(e.location)) return {decision::hold_at_home};  // the object may not have left
  if (e.location == msg.routing.avoid)
    return {.what = decision::reject, .cause = failures_.of_node_loss(msg.object, &e, e.location, "is on")};
  const bool pins_object = msg.routing.hops >= max_forwards;
  if (pins_object && e.home->requested_destination != no_rank) return {decision::hold_at_home};
  return {.what = decision::forward,
          .to = e.location,
          .routing = {e.epoch, no_rank, msg.routing.hops, pins_object},
          .is_location_known = true};
}

message_router::decision message_router::decide_route(const remote_message& msg) {
  auto& s = directory_.shard_of(msg.object);
  const std::scoped_lock lock(s.lock);
  return decide_route(s.find(msg.object), msg);
}

void message_router::deliver(std::unique_ptr<remote_message> msg) {
  deferred_actions actions;
  {
    const object_id id = msg->object;
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    if (msg->routing.pins_object && msg->routing.hops) {
      actions.send.push_back({homes_.home_of(id), pinned_message_arrived{id}});
      msg->routing.pins_object = false;
    }
    object_entry* const e = s.find(id);
    s.counters.most_hops = std::max<std::uint64_t>(s.counters.most_hops, msg->routing.hops);
    const decision d = decide_route(e, *msg);
    if (d.what == decision::accept) accept_message(*e, std::move(msg), actions);
    else act(d, e, s, std::move(msg), actions);
  }
  runner_.run(actions);
}

void message_router::act(const decision& d, object_entry* e, object_directory::shard& s,
                         std::unique_ptr<remote_message> msg, deferred_actions& actions) {
  const object_id id = msg->object;
  const rank from = msg->from;
  switch (d.what) {
    case decision::accept: return;  // deliver() does it
    case decision::construct:
      begin_construction(s.all[id], std::move(msg), actions);
      ++s.counters.objects;
      return;
    case decision::park: return park(s.all[id], std::move(msg), actions);
    case decision::hold_at_home: e->home->blocked.push_back(std::move(msg)); return;
    case decision::return_to_sender:
      actions.send.push_back({from, resend_request{id, from}});
      actions.discard.push_back(std::move(msg));
      return;
    case decision::reject: actions.complete.push_back({msg.release(), d.cause, d.is_permanent}); return;
    case decision::forward:
      if (d.routing.pins_object) ++e->home->pinned[d.to];
      if (from != homes_.self()) {
        ++s.counters.passed_on;
        forwarded_.record(d.to, from);
        if (d.is_location_known) actions.send.push_back({from, location_update{id, d.to, e->epoch}});
      }
      actions.forward.push_back({d.to, std::move(msg), d.routing});
  }
}

void message_router::park(object_entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions) {
  const rank home = homes_.home_of(msg->object);
  // The object may have been destroyed, and this node may have deleted its entry.
  if (e.parked.empty() && home != homes_.self()) actions.send.push_back({home, location_query{msg->object}});
  e.parked.push_back(std::move(msg));
}

void message_router::accept_message(object_entry& e, std::unique_ptr<remote_message> msg, deferred_actions& actions) {
  local_object& o = *e.local;
  sender_state& sender = o.sender(msg->from);
  // nobody waits for a reply, and earlier messages may be missing
  if (msg->from != homes_.self() && homes_.is_lost(msg->from)) return;
  sender.forget_below(msg->answered_below);
  if (!msg->type) msg->type = message_type_at(msg->function);
  if (msg->refused && o.skip(sender, msg->number)) {
    failure_ref cause = sender.refused[msg->number] = msg->refused;
    actions.complete.push_back({msg.release(), std::move(cause), false});
    return local_.advance(o, actions);
  }
  if (o.accept(sender, *msg) != acceptance::duplicate) {
    msg.release();
    return local_.advance(o, actions);
  }
  on_duplicate(o, std::move(msg), actions);
}

/// The object has accepted the message before, or keeps it aside.
void message_router::on_duplicate(local_object& o, std::unique_ptr<remote_message> msg, deferred_actions& actions) {
  sender_state& sender = o.sender(msg->from);
  // If this node handled it, the reply was or will be sent. If another node handled it, the reply may have been lost
  // with that node.
  if (const auto refused = sender.refused.find(msg->number); refused != sender.refused.end()) {
    actions.complete.push_back({msg.release(), refused->second, false});
  } else if (msg->action_taken() == message_action::migrate) {
    if (!o.has_pending_migration(msg->from, msg->request)) actions.complete.push_back({msg.release(), {}});
  } else if (const rank on = sender.handled_on(msg->number); on != no_rank) {
    actions.send.push_back({msg->from, executed_at{msg->request, on}});
  }
  if (msg && msg->reply_share) actions.discard.push_back(std::move(msg));
}

void message_router::begin_construction(object_entry& e, std::unique_ptr<remote_message> msg,
                                        deferred_actions& actions) {
  if (!msg->type) msg->type = message_type_at(msg->function);
  local_object& o = local_.place(e, std::make_unique<local_object>(msg->object, msg->type ? msg->type->of : nullptr,
                                                                   msg->name, first_epoch, homes_.self()));
  if (o.type) o.load.bytes = o.type->bytes;
  e.place(homes_.self(), first_epoch);
  e.name = msg->name;
  o.sender(msg->from).next = 1;
  o.acquire_exclusively();
  release_parked(e, actions);
  msg->handled_object = &o;
  actions.begin.push(*msg.release());
}

void message_router::send_as_decided(const decision& d, const std::shared_ptr<const remote_message>& msg) {
  if (d.what == decision::forward && !d.routing.pins_object)
    return forward(d.to, msg, d.routing, dist::job::counting::itself);
  deliver(std::make_unique<remote_message>(*msg));
}

void message_router::forward(rank to, const std::shared_ptr<const remote_message>& msg, const routing_state& routing,
                             dist::job::counting is) {
  const object_message m{header_of(*msg, routing, homes_.node()), {msg->name}, msg->refused, msg->bytes()};
  counters_.protocol_message_sent();
  if (!dist::job::is_lent(m.arguments.size())) return job_->send(to, m);
  job_->send(to, m, msg, is);
}

void message_router::resend(const remote_message& msg, rank avoid) {
  if (msg.action_taken() == message_action::make) return;  // it goes directly to its node, or is lost with it
  auto again = std::make_unique<remote_message>(msg);
  again->routing.avoid = avoid;
  const rank home = homes_.home_of(msg.object);
  bool is_remote = false;
  if (home != homes_.self()) {
    auto& s = directory_.shard_of(msg.object);
    const std::scoped_lock lock(s.lock);
    const object_entry* const e = s.find(msg.object);
    is_remote = !(e && (e->local || e->loss)) && !homes_.is_lost(home);
  }
  if (is_remote) forward(home, std::move(again), {unknown_epoch, avoid, 0, false});
  else deliver(std::move(again));
}

void message_router::reject(std::unique_ptr<remote_message> msg, const failure& cause) {
  ++msg->routing.hops;
  msg->refused = failures_.of_rejected(msg->object, directory_.name_of(msg->object), cause);
  deliver(std::move(msg));
}

void message_router::resend_after_loss_of(rank failed) {
  for (const auto& msg : replies_.unanswered()) {
    const rank home = homes_.home_of(msg->object);
    const bool is_construction_lost = msg->action_taken() == message_action::make && msg->target == failed;
    if (is_construction_lost || (home == failed && !directory_.is_here(msg->object)))
      replies_.complete(
          reply_stage::value_and_end, msg->request, homes_.self(),
          failures_.of_node_loss(msg->object, nullptr, failed, home == failed ? "was created on" : "was on"), {});
    else resend(*msg, no_rank);
  }
}

void message_router::on(rank from, const object_message& m) {
  auto msg = from_header(m.header, m.name.text, job_->node_of(from));
  if (m.refused) msg->refused = m.refused;
  const std::span<const std::byte> arguments = m.arguments;
  if (arguments.size() <= remote_message::max_inline_bytes) msg->store_inline(arguments);
  else try {
      msg->received = job_->keep(arguments);
      msg->received_bytes = arguments.size();
    } catch (const std::bad_alloc&) {
      return reject(std::move(msg), *job_->no_room_for(job_->kind_of<object_message>(), from, arguments.size()).get());
    }
  msg->memory = {job_->pressure(), dist::back_pressure::kind::received, arguments.size()};
  ++msg->routing.hops;
  deliver(std::move(msg));
}

void message_router::on(rank, const location_update& m) {
  const auto [id, where, epoch] = m;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (!e || e->local || e->home || epoch < e->epoch) return;
    if (epoch > e->epoch) {
      e->location = where;
      e->epoch = epoch;
      e->was_sent_there = false;
      if (where != homes_.self()) release_parked(*e, actions, epoch);  // messages for a newer epoch stay parked
    }
  }
  runner_.run(actions);
  // Messages sent to a failed location are lost.
  if (where != homes_.self() && homes_.is_lost(where))
    for (const auto& msg : replies_.unanswered(id)) resend(*msg, where);
}

void message_router::on(rank by, const location_query& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    const object_entry* const e = s.find(id);
    if (!e || !e->home) {
      actions.send.push_back({by, object_destroyed{id}});
    } else if (e->loss) {
      actions.send.push_back({by, object_lost{id, e->loss}});
    } else if (e->location != by) {
      actions.send.push_back({by, location_update{id, e->location, e->epoch}});
    }
  }
  runner_.run(actions);
}

void message_router::on(rank, const resend_request& m) {
  const auto [id, whom] = m;
  if (whom != homes_.self()) {  // for a node that lost contact with the sender
    if (!homes_.is_lost(whom)) runner_.send(whom, m);
    return;
  }
  for (const auto& msg : replies_.unanswered(id)) resend(*msg, no_rank);
}

}  // namespace stretto::mobiles
