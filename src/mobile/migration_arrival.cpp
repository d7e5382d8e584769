// migration_arrival.cpp - an object arrives: this node reads it, in a task if its parts must be waited for, and
// installs it.
#include <stretto/error.hpp>

#include <algorithm>
#include <new>

#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"
#include "sched/counted_task.hpp"

namespace stretto::mobiles {

using sched::thread_state;

failure_ref mobile_objects::install_object(object_id id, entry& e, std::unique_ptr<local_object> o,
                                           deferred_actions& actions) {
  e.local = std::move(o);
  ++shard_of(id).counters.objects;
  apply_node_state(*e.local);
  // Replies of this node no longer reach these senders. Ask the home node to tell them to resend.
  for (const auto& [sender, state] : e.local->remote_senders())
    if (is_lost(sender)) actions.send.push_back({home_of(id), resend_request{id, sender}});
  failure_ref was_lost = std::exchange(e.loss, {});
  if (was_lost) {  // the object has not received some messages of this node, and will not
    sender_state& own = e.local->local_sender();
    own.drop_out_of_order();
    own.next = e.messages_sent;
  }
  release_parked(e, actions);
  return was_lost;
}

/// An object that is being read.
struct mobile_objects::arriving_object {
  arriving_object(rank r, const migration_header& h) : from(r), head(h) {}
  arriving_object(const arriving_object&) = delete;
  ~arriving_object() {
    if (!what) return;
    if (what->object) what->type->destroy(what->object);
    what->drop_messages();
  }

  const rank from;
  const migration_header head;
  std::unique_ptr<local_object> what;
  dist::out_of_band_parts::parts parts;
  std::vector<std::uint64_t> behind;  // number of bytes before each part
  std::vector<std::byte> bytes;       // of an object with parts
};

bool mobile_objects::is_malformed(const object_migration& m) const noexcept {
  const auto is_of_another_object = [&](const migrated_message& one) {
    return is_malformed(one.header) || one.header.object != m.header.object;
  };
  const auto has_empty_refusal = [](const migrated_sender& s) {
    return std::ranges::any_of(s.refused, [](const migrated_refusal& r) { return !r.cause; });
  };
  return is_malformed(m.header) || std::ranges::any_of(m.messages.all, is_of_another_object) ||
         std::ranges::any_of(m.senders.all, has_empty_refusal);
}

void mobile_objects::on_object(rank from, const object_migration& m, base::thread_context&) {
  if (is_malformed(m)) return job_->refuse_malformed(object_migration::message, from);
  const migration_header& head = m.header;
  const std::span<const std::byte> bytes = m.bytes.all;
  auto o = std::make_unique<arriving_object>(from, head);
  o->what = std::make_unique<local_object>(head.object, mobile_type_at(head.type), std::string(m.name.text), head.epoch,
                                           self_);
  std::uint64_t apart = 0;
  if (head.parts) o->parts = parts_->take(from, head.parts);
  for (const auto& p : o->parts) apart += p.bytes();
  std::uint64_t all = bytes.size() + apart;
  for (const migrated_message& one : m.messages.all) all += one.arguments.all.size();
  if (apart && !job_->has_room_for(all)) {
    ++protocol_messages_received_;
    return reject_object(from, head, o->what->name, job_->no_room_for(job_->kind_of<object_migration>(), from, all));
  }
  o->behind = m.behind.all;
  local_object& is = *o->what;
  is.load.workers.add(m.load.workers);
  is.load.devices.add(m.load.devices);
  is.load.hint = m.load.hint;
  is.load.bytes = bytes.size() + apart;
  for (const migrated_sender& one : m.senders.all) {
    sender_state& sender = is.sender(one.node);
    sender.next = one.next;
    sender.residences = one.residences;
    for (const migrated_refusal& r : one.refused) sender.refused[r.number] = r.cause;
    for (const std::uint64_t number : one.skipped) sender.out_of_order.try_emplace(number, nullptr);
  }
  for (const migrated_message& one : m.messages.all) {
    auto msg = from_header(one.header, one.name.text, job_->node_of(from));
    msg->set_received_arguments(one.arguments.all);
    if (msg->function) msg->type = message_type_at(msg->function);
    is.put_back(one.queue, std::move(msg));
  }
  if (!head.parts) return read_object(std::move(o), bytes);
  // A task waits for the parts. The node is not idle meanwhile.
  o->bytes.assign(bytes.begin(), bytes.end());
  thread_state& t = current_thread();
  const sched::outside_of_finishes outside(t);
  sched::count_spawned(t);
  sched::spawn_counted(t, {.scope = t.owner->root, .where = {}, .name = is.name}, read_task{this, o.release()});
}

void mobile_objects::read_task::operator()() const {
  std::unique_ptr<arriving_object> o(what);
  const std::span<const std::byte> bytes = o->bytes;
  all->read_object(std::move(o), bytes);
}

void mobile_objects::read_object(std::unique_ptr<arriving_object> arriving, std::span<const std::byte> bytes) {
  local_object& o = *arriving->what;
  const rank from = arriving->from;
  const migration_header& head = arriving->head;
  failure_ref cause;
  bool has_room = true, has_come = true;
  try {
    if (!o.type)
      throw error("N13", "node " + job_->name_of(self_) + " cannot find the type of an object that migrates to it")
          .because("the library that contains it is not loaded there, or has another version")
          .remedy("load the same libraries on every node before their objects migrate");
    dist::parts_reader more(*job_, std::move(arriving->parts), std::move(arriving->behind), bytes);
    try {
      field_reader in(more.begin(), more);
      if (head.is_constructed) o.object = o.type->read(in);
    } catch (...) {
      has_come = !more.has_failed();
      throw;
    }
  } catch (const std::bad_alloc&) {
    has_room = !head.is_retained;
    cause = detail::make_failure(std::current_exception(), display_name(o.id, o.name), {});
  } catch (...) {
    cause = detail::make_failure(std::current_exception(), display_name(o.id, o.name), {});
  }
  if (has_come && !has_room) reject_object(from, head, o.name, std::move(cause));
  else if (has_come) accept_object(std::move(arriving), std::move(cause));
  ++protocol_messages_received_;
}

void mobile_objects::accept_object(std::unique_ptr<arriving_object> arriving, failure_ref cause) {
  const rank from = arriving->from;
  const object_id id = arriving->head.object;
  const std::uint32_t epoch = arriving->head.epoch;
  if (arriving->head.is_retained) send(from, object_accepted{id, epoch});
  data::acknowledge_message(from, arriving->head.attachments, base::require_current("migrate"));
  deferred_actions actions;
  failure_ref was_lost;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    // Drop the object: nodes are or will be told that it did not arrive. Otherwise it is installed before they ask.
    if (is_lost(from)) return;
    std::unique_ptr<local_object> o = std::move(arriving->what);
    entry& e = s.all[id];
    e.location = self_;
    e.epoch = epoch;
    e.was_sent_there = false;
    e.awaited_from = no_rank;
    if (e.name.empty()) e.name = o->name;
    if (cause) {
      e.loss = loss_failure(id, o->name, *cause.get());
      fail_all_messages(*o, e, e.loss, actions);
      if (home_of(id) != self_) actions.send.push_back({home_of(id), object_failed{id, cause}});
    } else {
      ++s.counters.moved_in;
      was_lost = install_object(id, e, std::move(o), actions);
      if (!e.local->pending_migrations().empty()) complete_migration(*e.local, {}, actions);
      actions.send.push_back({home_of(id), object_arrived{id, epoch}});
      advance_object(*e.local, actions);
    }
  }
  if (was_lost) fail_unanswered(id, was_lost);
  run(actions);
}

}  // namespace stretto::mobiles
