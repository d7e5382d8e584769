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

migrated_sender fields_of(rank of, const sender_state& c) {
  migrated_sender m{.node = of, .next = c.next, .residences = c.residences};
  for (const auto& [number, cause] : c.refused) m.refused.push_back({number, cause});
  for (const auto& [number, msg] : c.out_of_order)
    if (!msg) m.skipped.push_back(number);
  return m;
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
  object_migration m;
  m.header = {.is_constructed = o.object != nullptr,
              .epoch = epoch,
              .object = o.id,
              .type = dist::encode_constant(o.type, sizeof *o.type),
              .attachments = data::keep_for(to, std::move(content.along), base::require_current("migrate"))};
  m.name = {o.name};
  std::uint64_t apart = 0;
  for (const detail::part_apart& p : content.apart) apart += p.bytes.size();
  if (apart) m.header.parts = parts_->send(to, content.apart, sent);
  for (const detail::part_apart& p : content.apart) m.behind.all.push_back(p.behind);
  o.count_devices();
  m.load = {o.load.workers.unreported(), o.load.devices.unreported(), o.load.hint};
  m.bytes = {content.bytes};
  m.senders.all.push_back(fields_of(self_, o.local_sender()));
  for (const auto& [sender, c] : o.remote_senders()) m.senders.all.push_back(fields_of(sender, c));

  // Local messages become remote ones. One whose arguments cannot be written fails; the others are sent.
  std::uint64_t asked = 0;
  const auto put_remote = [&](message_queue queue, std::shared_ptr<const remote_message> remote) {
    m.messages.all.push_back({header_of(*remote, {}, node_), queue, {remote->name}, {remote->bytes()}});
    sent->messages.push_back({queue, std::move(remote)});
  };
  const auto put = [&](message_queue queue, message& msg) {
    if (msg.is_remote) {
      auto& remote = static_cast<remote_message&>(msg);
      remote.memory.end();
      remote.reply_share.end();
      return put_remote(queue, std::shared_ptr<const remote_message>(&remote));
    }
    detail::parcel arguments;
    try {
      arguments = arguments_of(msg);
    } catch (...) {
      return complete_unhandled(
          msg, detail::make_failure(std::current_exception(), display_name(o.id, o.name), record_of(msg).where), false);
    }
    const std::shared_ptr<remote_message> remote = to_remote(msg, o.id, self_, std::move(arguments));
    sched::task_record& r = record_of(msg);
    pending_replies_.add(r, drop_local_body(r), remote);
    put_remote(queue, remote);
    ++asked;
  };
  const auto put_out_of_order = [&](const sender_state& c) {
    for (const auto& [number, msg] : c.out_of_order)
      if (msg) put(message_queue::out_of_order, *msg);
  };
  for (message* msg : o.pending_migrations()) put(message_queue::migrations, *msg);
  while (message* const msg = o.waiting().pop()) put(message_queue::accepted, *msg);
  put_out_of_order(o.local_sender());
  for (const auto& [sender, c] : o.remote_senders()) put_out_of_order(c);

  dist::writer w;
  dist::encode_message(w, m, job_->environment(self_));
  const bool is_retained = apart || job_->may_be_refused(w.size());
  if (is_retained) w.replace_first(std::uint8_t{1});  // migration_header::is_retained
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
  ++protocol_messages_sent_;
  job_->send(to, job_->kind_of<object_migration>(), std::move(w));
}

}  // namespace stretto::mobiles
