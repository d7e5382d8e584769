#include "mobile/local_objects.hpp"

#include <utility>

namespace stretto::mobiles {

local_object& local_objects::place(object_entry& e, std::unique_ptr<local_object> o) const {
  e.local = std::move(o);
  load_.apply_to(*e.local);
  e.local->is_paused = pause_.is_paused();
  return *e.local;
}

void local_objects::place_new(object_directory::shard& s, std::unique_ptr<local_object> o, void* object) const {
  object_entry& e = s.all[o->id];
  e.name = o->name;
  e.place(homes_.self(), first_epoch);
  place(e, std::move(o)).object = object;
  ++s.counters.objects;
}

failure_ref local_objects::install(object_directory::shard& s, object_entry& e, std::unique_ptr<local_object> o,
                                   deferred_actions& actions) const {
  local_object& here = place(e, std::move(o));
  ++s.counters.objects;
  // Replies of this node do not reach these senders. The home node may reach them: ask it to have them send their
  // unanswered messages again.
  for (const auto& [sender, state] : here.remote_senders())
    if (homes_.is_lost(sender)) actions.send.push_back({homes_.home_of(here.id), resend_request{here.id, sender}});
  failure_ref earlier_loss = std::exchange(e.loss, {});
  if (earlier_loss) {
    // This node has failed its messages to the object, some of which the object has not received: skip their numbers.
    sender_state& own = here.local_sender();
    own.drop_out_of_order();
    own.next = e.messages_sent;
  }
  release_parked(e, actions);
  return earlier_loss;
}

void local_objects::advance(local_object& o, deferred_actions& actions) const {
  while (!o.is_leaving && !o.pending_migrations().empty() && (!o.is_paused || o.may_migrate_while_paused)) {
    message& msg = *o.pending_migrations().front();
    const rank to =
        msg.is_remote ? static_cast<remote_message&>(msg).target : static_cast<local_migration&>(msg).target;
    const rank home = homes_.home_of(o.id);
    if (to == homes_.self()) {
      complete_migration(o, {}, actions);
    } else if (homes_.is_lost(to)) {
      complete_migration(o, homes_.loss_of(to), actions);
    } else if (homes_.is_lost(home)) {
      complete_migration(o, failures_.of_node_loss(o.id, nullptr, home, "was created on"), actions);
    } else {
      o.is_leaving = true;
      o.destination = to;
      actions.send.push_back({home, migration_request{o.id, to}});
    }
  }
  if (!o.is_leaving) return o.begin_ready(actions.begin);
  if (o.is_migration_granted && o.is_free() && !o.is_packing) {
    o.is_packing = true;
    actions.pack = &o;
  }
}

void local_objects::complete_migration(local_object& o, failure_ref cause, deferred_actions& actions) {
  actions.complete.push_back({o.pending_migrations().front(), std::move(cause), false});
  o.pending_migrations().pop_front();
}

void local_objects::cancel_migration(local_object& o, deferred_actions& actions) const {
  o.is_migration_granted = o.is_recalled = false;
  const rank home = homes_.home_of(o.id);
  // The home node may have lost this node, and asked the destination whether the object will arrive. The destination
  // asked this node then, which did not reply, because the object was to leave. Reply now.
  if (!homes_.is_lost(o.destination)) actions.send.push_back({o.destination, not_departed{o.id}});
  if (!homes_.is_lost(home)) return actions.send.push_back({home, cancellation_request{o.id}});
  o.is_leaving = o.is_packing = false;
  complete_migration(o, homes_.loss_of(home), actions);
}

void local_objects::fail_all_messages(local_object& o, object_entry& e, const failure_ref& cause,
                                      deferred_actions& actions) {
  while (message* const msg = o.waiting().pop()) actions.complete.push_back({msg, cause});
  for (message* msg : o.pending_migrations()) actions.complete.push_back({msg, cause});
  o.pending_migrations().clear();
  const auto fail_out_of_order = [&](sender_state& state) {
    for (const auto& [number, msg] : state.out_of_order)
      if (msg) actions.complete.push_back({msg, cause});
    state.out_of_order.clear();
  };
  fail_out_of_order(o.local_sender());
  for (auto& [sender, state] : o.remote_senders()) fail_out_of_order(state);
  for (auto& msg : e.parked) actions.complete.push_back({msg.release(), cause});
  e.parked.clear();
}

}  // namespace stretto::mobiles
