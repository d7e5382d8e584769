#include "mobile/migration_departure.hpp"

#include <mutex>
#include <utility>

#include "data/other_nodes.hpp"
#include "dist/program_constants.hpp"
#include "event/event_floor.hpp"

namespace stretto::mobiles {

namespace {

/// Parts of an object from this size on are sent from where they lie: a message costs no more than copying so many
/// bytes.
constexpr std::size_t min_separate_part_bytes = std::size_t{32} << 10;

migrated_sender fields_of(rank of, const sender_state& c) {
  migrated_sender m{.node = of, .next = c.next, .residences = c.residences};
  for (const auto& [number, cause] : c.refused) m.refused.push_back({number, cause});
  for (const auto& [number, msg] : c.out_of_order)
    if (!msg) m.skipped.push_back(number);
  return m;
}

}  // namespace

void migration_departure::on(rank, const migration_decision& m) {
  const object_id id = m.object;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (!e || !e->local || !e->local->is_leaving) return;
    local_object& o = *e->local;
    if (!m.granted_epoch) {
      o.is_leaving = false;
      local_.complete_migration(o,
                                homes_.is_lost(o.destination)
                                    ? homes_.loss_of(o.destination)
                                    : failures_.of_node_loss(id, e, o.destination, "was moving to"),
                                actions);
    } else {
      o.epoch = *m.granted_epoch;
      o.is_migration_granted = true;
      if (homes_.is_lost(o.destination)) local_.cancel_migration(o, actions);
    }
    local_.advance(o, actions);
  }
  runner_.run(actions);
}

void migration_departure::on(rank, const migration_cancelled& m) {
  const auto [id, epoch] = m;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (!e || !e->local || !e->local->is_leaving) return;
    local_object& o = *e->local;
    o.epoch = e->epoch = epoch;
    o.is_leaving = o.is_packing = false;
    failure_ref cause = std::move(o.cancellation_cause);
    if (!cause)
      cause = homes_.is_lost(o.destination) ? homes_.loss_of(o.destination)
                                            : failures_.of_node_loss(id, e, o.destination, "was moving to");
    local_.complete_migration(o, std::move(cause), actions);
    local_.advance(o, actions);
  }
  runner_.run(actions);
}

void migration_departure::pack(local_object& o) {
  detail::parcel content{.bytes = {}, .apart_from = min_separate_part_bytes};
  failure_ref cause;
  try {
    if (o.object) o.type->write(o.object, content);
  } catch (...) {
    cause = detail::make_failure(std::current_exception(), failures_.display_name(o.id, o.name), {});
  }
  deferred_actions actions;
  std::unique_ptr<local_object> leaves;
  migration_epoch epoch = {};
  {
    auto& s = directory_.shard_of(o.id);
    const std::scoped_lock lock(s.lock);
    object_entry& e = *s.find(o.id);
    if (cause || homes_.is_lost(o.destination) || o.is_recalled) {
      o.cancellation_cause = std::move(cause);
      local_.cancel_migration(o, actions);
      local_.advance(o, actions);
    } else {
      leaves = std::move(e.local);
      e.location = leaves->destination;
      epoch = e.epoch = leaves->epoch;
      e.was_sent_there = e.was_here = true;
      // Stands for the messages that go with the object, until send() has counted them: a reply to another message may
      // come before.
      ++e.unanswered;
      --s.counters.objects;
      ++s.counters.moved_out;
    }
  }
  if (leaves) send(std::move(leaves), std::move(content), epoch);
  runner_.run(actions);
}

/// An object that is being sent, with its messages.
struct migration_departure::leaving_object {
  const std::shared_ptr<departed_object> what;
  object_migration message = {};
  std::uint64_t asked = 0;  // messages of this node that wait for a reply from now on
};

void migration_departure::send(std::unique_ptr<local_object> leaves, detail::parcel&& content, migration_epoch epoch) {
  leaving_object leaving{std::make_shared<departed_object>(std::move(leaves))};
  const auto& sent = leaving.what;
  local_object& o = *sent->what;
  const rank to = o.destination;
  o.record_residence();
  object_migration& m = leaving.message;
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
  put_messages(leaving);

  dist::writer w;
  dist::encode_message(w, m, job_->environment(homes_.self()));
  const bool is_retained = apart || job_->may_be_refused(w.size());
  if (is_retained) w.replace_first(std::uint8_t{1});  // migration_header::is_retained
  // the object came back before this node was told that the destination had accepted it
  std::shared_ptr<departed_object> old;
  {
    auto& s = directory_.shard_of(o.id);
    const std::scoped_lock lock(s.lock);
    if (object_entry* const e = s.find(o.id)) {
      e->unanswered += leaving.asked;
      e->count_reply();  // in place of the one that pack() has counted
      if (is_retained) old = std::exchange(e->departed, sent);
    }
  }
  counters_.protocol_message_sent();
  job_->send(to, job_->kind_of<object_migration>(), std::move(w));
}

void migration_departure::put_messages(leaving_object& to) {
  local_object& o = *to.what->what;
  to.message.senders.all.push_back(fields_of(homes_.self(), o.local_sender()));
  for (const auto& [sender, c] : o.remote_senders()) to.message.senders.all.push_back(fields_of(sender, c));
  const auto put_out_of_order = [&](const sender_state& c) {
    for (const auto& [number, msg] : c.out_of_order)
      if (msg) put(to, message_queue::out_of_order, *msg);
  };
  for (message* msg : o.pending_migrations()) put(to, message_queue::migrations, *msg);
  while (message* const msg = o.waiting().pop()) put(to, message_queue::accepted, *msg);
  put_out_of_order(o.local_sender());
  for (const auto& [sender, c] : o.remote_senders()) put_out_of_order(c);
}

/// A local message becomes a remote one. One whose arguments cannot be written fails; the others are sent.
void migration_departure::put(leaving_object& to, message_queue queue, message& msg) {
  const local_object& o = *to.what->what;
  std::shared_ptr<const remote_message> remote;
  if (msg.is_remote) {
    auto& waiting = static_cast<remote_message&>(msg);
    waiting.memory.end();
    waiting.reply_share.end();
    remote.reset(&waiting);
  } else {
    detail::parcel arguments;
    try {
      arguments = arguments_of(msg);
    } catch (...) {
      return runner_.complete(
          msg,
          detail::make_failure(std::current_exception(), failures_.display_name(o.id, o.name), record_of(msg).where),
          false);
    }
    const std::shared_ptr<remote_message> made = to_remote(msg, o.id, homes_.self(), std::move(arguments));
    sched::task_record& r = record_of(msg);
    replies_.add(r, drop_local_body(r), made);
    ++to.asked;
    remote = made;
  }
  to.message.messages.all.push_back({header_of(*remote, {}, homes_.node()), queue, {remote->name}, {remote->bytes()}});
  to.what->messages.push_back({queue, std::move(remote)});
}

void migration_departure::on(rank, const object_accepted& m) {
  const auto [id, epoch] = m;
  deferred_actions actions;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (e && e->departed && e->departed->what->epoch == epoch) actions.drop.push_back(std::move(e->departed));
  }
  runner_.run(actions);
}

void migration_departure::on(rank, const object_rejected& m) {
  const object_id id = m.object;
  deferred_actions actions;
  failure_ref earlier_loss;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    object_entry* const e = s.find(id);
    if (!e || !e->departed || e->departed->what->epoch != m.epoch) return;
    if (e->departed.use_count() > 1) {  // some parts were sent, and the transport still reads them
      job_->begin_incoming();
      return returning_.push_back(m);
    }
    const auto back = std::move(e->departed);
    e->was_sent_there = false;
    if (!e->home) e->location = homes_.self();  // a home node learns it like the others
    --s.counters.moved_out;
    earlier_loss = local_.install(s, *e, back->take_back(), actions);
    local_object& o = *e->local;
    o.cancellation_cause = m.cause;
    local_.cancel_migration(o, actions);
    local_.advance(o, actions);
  }
  if (earlier_loss) replies_.fail_unanswered(id, earlier_loss);
  runner_.run(actions);
}

void migration_departure::retry_returning() {
  for (const object_rejected& m : std::exchange(returning_, {})) {
    on(homes_.self(), m);
    job_->end_incoming();
  }
}

}  // namespace stretto::mobiles
