// migration.cpp - an object leaves this node: the home node grants the migration, the source writes and sends the
// object.
#include <stretto/error.hpp>

#include "base/node_numbers.hpp"
#include "data/other_nodes.hpp"
#include "dist/program_constants.hpp"
#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

namespace {

/// Parts of an object from this size on are sent from where they lie: a message costs no more than copying so many
/// bytes.
constexpr std::size_t min_separate_part_bytes = std::size_t{32} << 10;

/// The numbers repeat if the draws are made in the same order.
std::uint64_t mixed(std::uint64_t x) noexcept {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

void put_sender_state(dist::writer& w, rank of, const sender_state& c, dist::failure_codec& causes) {
  w.put(of);
  w.put(c.next);
  w.put(static_cast<std::uint32_t>(c.residences.size()));
  for (const sender_state::residence& s : c.residences) w.put(s.end), w.put(s.on);
  w.put(static_cast<std::uint32_t>(c.refused.size()));
  for (const auto& [number, cause] : c.refused) w.put(number), causes.write(w, *cause.get());
}

}  // namespace

void mobile_objects::migrate_at_random(local_object& o) {
  const std::uint64_t draw =
      mixed(settings_.seed + random_draws_.fetch_add(1, std::memory_order_relaxed) * 0x9e3779b97f4a7c15u + self_);
  if (draw % 100 >= settings_.random_migration_percent || !o.pending_migrations().empty() || o.is_leaving ||
      nodes() == 1)
    return;
  auto msg = std::make_unique<remote_message>();
  msg->action = static_cast<std::uint64_t>(message_action::migrate);
  msg->object = o.id;
  msg->from = self_;
  msg->target = static_cast<rank>((draw >> 8) % nodes());
  if (msg->target == self_ || is_lost(msg->target) || is_lost(home_of(o.id))) return;
  o.pending_migrations().push_back(msg.release());
}

void mobile_objects::complete_migration(local_object& o, failure_ref cause, deferred_actions& actions) {
  actions.complete.push_back({o.pending_migrations().front(), std::move(cause), false});
  o.pending_migrations().pop_front();
}

void mobile_objects::on(rank from, const migration_request& m) {
  const auto [id, to] = m;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->home || e->loss || is_lost(to)) actions.send.push_back({from, migration_decision{id, {}}});
    else if (!e->home->pinned.empty()) e->home->requested_destination = to;
    else grant_migration(id, *e, to, actions);
  }
  run(actions);
}

void mobile_objects::grant_migration(object_id id, entry& e, rank to, deferred_actions& actions) {
  home_record& h = *e.home;
  h.moving_from = e.location;
  h.is_moving = true;
  h.visited.insert(to);
  e.location = to;
  e.was_sent_there = false;
  ++e.epoch;
  actions.send.push_back({h.moving_from, migration_decision{id, e.epoch}});
  release_blocked(h, actions);
}

/// The home node has lost contact with the destination.
void mobile_objects::deny_migration(object_id id, entry& e, deferred_actions& actions) {
  actions.send.push_back({e.location, migration_decision{id, {}}});
  release_blocked(*e.home, actions);
}

void mobile_objects::release_blocked(home_record& h, deferred_actions& actions) {
  for (auto& msg : h.blocked) actions.deliver.push_back(std::move(msg));
  h.blocked.clear();
}

void mobile_objects::on(rank, const migration_decision& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->local || !e->local->is_leaving) return;
    local_object& o = *e->local;
    if (!m.granted_epoch) {
      o.is_leaving = false;
      complete_migration(o,
                         is_lost(o.destination) ? job_->loss_of(o.destination)
                                                : node_loss_failure(id, e, o.destination, "was moving to"),
                         actions);
    } else {
      o.epoch = *m.granted_epoch;
      o.is_migration_granted = true;
      if (is_lost(o.destination)) cancel_migration(o, actions);
    }
    advance_object(o, actions);
  }
  run(actions);
}

void mobile_objects::cancel_migration(local_object& o, deferred_actions& actions) {
  o.is_migration_granted = o.is_recalled = false;
  // The home node may have lost this node and asked the destination whether the object will arrive. The destination
  // then asked this node and got no reply, because the migration was still planned. Reply now.
  if (!is_lost(o.destination)) actions.send.push_back({o.destination, not_departed{o.id}});
  if (!is_lost(home_of(o.id))) return actions.send.push_back({home_of(o.id), cancellation_request{o.id}});
  o.is_leaving = o.is_packing = false;
  complete_migration(o, job_->loss_of(home_of(o.id)), actions);
}

void mobile_objects::on(rank from, const cancellation_request& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->home) return;
    if (e->loss) {  // other nodes have been told that the object is lost
      actions.send.push_back({from, migration_cancelled{id, e->epoch}});
    } else {
      const rank instead_of = std::exchange(e->location, from);
      e->was_sent_there = false;
      ++e->epoch;
      e->home->is_moving = false;
      actions.send.push_back({from, migration_cancelled{id, e->epoch}});
      if (instead_of != self_) actions.send.push_back({instead_of, location_update{id, from, e->epoch}});
      release_parked(*e, actions);
      release_blocked(*e->home, actions);
    }
  }
  run(actions);
}

void mobile_objects::on(rank, const migration_cancelled& m) {
  const auto [id, epoch] = m;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->local) return;
    local_object& o = *e->local;
    o.epoch = e->epoch = epoch;
    o.is_leaving = o.is_packing = false;
    failure_ref cause = std::move(o.cancellation_cause);
    if (!cause)
      cause = is_lost(o.destination) ? job_->loss_of(o.destination)
                                     : node_loss_failure(id, e, o.destination, "was moving to");
    complete_migration(o, std::move(cause), actions);
    advance_object(o, actions);
  }
  run(actions);
}

void mobile_objects::pack_object(local_object& o) {
  detail::parcel content{.bytes = {}, .apart_from = min_separate_part_bytes};
  failure_ref cause;
  try {
    if (o.object) o.type->write(o.object, content);
  } catch (...) {
    cause = detail::make_failure(std::current_exception(), display_name(o.id, o.name), {});
  }
  deferred_actions actions;
  std::unique_ptr<local_object> leaves;
  std::uint32_t epoch = 0;
  {
    shard& s = shard_of(o.id);
    const std::scoped_lock lock(s.lock);
    entry& e = *s.find(o.id);
    if (cause || is_lost(o.destination) || o.is_recalled) {
      o.cancellation_cause = std::move(cause);
      cancel_migration(o, actions);
      advance_object(o, actions);
    } else {
      leaves = std::move(e.local);
      e.location = leaves->destination;
      epoch = e.epoch = leaves->epoch;
      e.was_sent_there = e.was_here = true;
      // for the messages sent with the object, until send_object() has counted them: a reply to another one may come
      // before
      ++e.unanswered;
      --s.counters.objects;
      ++s.counters.moved_out;
    }
  }
  if (leaves) send_object(std::move(leaves), std::move(content), epoch);
  run(actions);
}

void mobile_objects::send_object(std::unique_ptr<local_object> leaves, detail::parcel&& content, std::uint32_t epoch) {
  const auto sent = std::make_shared<departed_object>(std::move(leaves));
  local_object& o = *sent->what;
  const rank to = o.destination;
  o.record_residence();
  migration_header head;
  head.id = o.id;
  head.epoch = epoch;
  head.type = dist::encode_constant(o.type, sizeof *o.type);
  head.is_constructed = o.object != nullptr;
  head.along = data::keep_for(to, std::move(content.along), base::require_current("migrate"));
  head.name = o.name;
  std::uint64_t apart = 0;
  for (const detail::part_apart& p : content.apart) apart += p.bytes.size();
  if (apart) head.parts = parts_->send(to, content.apart, sent);
  dist::writer w;
  head.write(w);
  w.put(static_cast<std::uint32_t>(content.apart.size()));
  for (const detail::part_apart& p : content.apart) w.put(static_cast<std::uint64_t>(p.behind));
  o.count_devices();
  w.put(o.load.workers.unreported());
  w.put(o.load.devices.unreported());
  w.put(o.load.hint);
  w.put(static_cast<std::uint64_t>(content.bytes.size()));
  w.put_bytes(content.bytes);
  w.put(static_cast<std::uint32_t>(o.remote_senders().size() + 1));
  put_sender_state(w, self_, o.local_sender(), *failures_);
  for (const auto& [sender, c] : o.remote_senders()) put_sender_state(w, sender, c, *failures_);

  // Local messages become remote ones. One whose arguments cannot be written fails; the others are sent.
  std::vector<departed_object::carried_message>& gone = sent->messages;
  std::uint64_t asked = 0;
  const auto put = [&](char mark, message& msg) {
    if (msg.is_remote) {
      auto& remote = static_cast<remote_message&>(msg);
      remote.memory.end();
      remote.reply_share.end();
      gone.push_back({mark, std::shared_ptr<const remote_message>(&remote)});
      write(w, remote, {}, node_);
      return true;
    }
    detail::parcel arguments;
    try {
      arguments = arguments_of(msg);
    } catch (...) {
      complete_unhandled(
          msg, detail::make_failure(std::current_exception(), display_name(o.id, o.name), record_of(msg).where), false);
      return false;
    }
    const std::shared_ptr<remote_message> remote = to_remote(msg, o.id, self_, std::move(arguments));
    sched::task_record& r = record_of(msg);
    pending_replies_.add(r, drop_local_body(r), remote);
    write(w, *remote, {}, node_);
    gone.push_back({mark, remote});
    ++asked;
    return true;
  };
  const auto put_marked = [&](char mark, message& msg) {
    w.put(mark);
    if (!put(mark, msg)) write(w, remote_message(), {}, node_);  // in place of the failed one
  };
  const auto put_out_of_order = [&](rank sender, const sender_state& c) {
    for (const auto& [number, msg] : c.out_of_order)
      if (msg) put_marked('h', *msg);
      else w.put('s'), w.put(sender), w.put(number);
  };
  for (message* msg : o.pending_migrations()) put_marked('m', *msg);
  while (message* const msg = o.waiting().pop()) put_marked('w', *msg);
  put_out_of_order(self_, o.local_sender());
  for (const auto& [sender, c] : o.remote_senders()) put_out_of_order(sender, c);
  w.put('.');
  const bool is_retained = apart || job_->may_be_refused(w.size());
  if (is_retained) w.replace_first(migration_header::retained);
  // the object came back before this node was told that the destination had accepted it
  std::shared_ptr<departed_object> old;
  {
    shard& s = shard_of(o.id);
    const std::scoped_lock lock(s.lock);
    if (entry* const e = s.find(o.id)) {
      e->unanswered += asked;
      if (e->unanswered && --e->unanswered == 0 && !e->local) e->answered_below = e->messages_sent;
      if (is_retained) old = std::exchange(e->departed, sent);
    }
  }
  send(to, protocol_message::object, std::move(w));
}

}  // namespace stretto::mobiles
