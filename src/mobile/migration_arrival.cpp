#include "mobile/migration_arrival.hpp"

#include <stretto/error.hpp>

#include <mutex>
#include <new>
#include <utility>

#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "sched/counted_task.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

using sched::thread_state;

/// An object that is being read. Unless it is installed, it ends with its messages.
struct migration_arrival::arriving_object {
  arriving_object(rank r, const migration_header& h) : from(r), head(h) {}
  arriving_object(const arriving_object&) = delete;
  ~arriving_object() {
    if (!local) return;
    if (local->object) local->type->destroy(local->object);
    local->drop_messages();
  }

  const rank from;
  const migration_header head;
  std::unique_ptr<local_object> local;  // null: installed, or failed
  dist::out_of_band_parts::parts parts;
  std::vector<std::uint64_t> behind;  // object_migration::behind
  std::vector<std::byte> bytes;       // copy of object_migration::bytes, if there are parts
};

void migration_arrival::on_object(rank from, const object_migration& m) {
  const migration_header& head = m.header;
  const std::span<const std::byte> bytes = m.bytes.all;
  auto arriving = std::make_unique<arriving_object>(from, head);
  arriving->local = std::make_unique<local_object>(head.object, mobile_type_at(head.type), std::string(m.name.text),
                                                   head.epoch, homes_.self());
  if (head.parts) arriving->parts = parts_->take(from, head.parts);
  std::uint64_t part_bytes = 0;
  for (const auto& p : arriving->parts) part_bytes += p.bytes();
  std::uint64_t all_bytes = bytes.size() + part_bytes;
  for (const migrated_message& one : m.messages.all) all_bytes += one.arguments.all.size();
  local_object& o = *arriving->local;
  // The job has accepted the message itself, but does not know the parts.
  if (part_bytes && !job_->has_room_for(all_bytes)) {
    reject(from, head, o.name, job_->no_room_for(job_->kind_of<object_migration>(), from, all_bytes));
    return counters_.protocol_message_received();
  }
  arriving->behind = m.behind.all;
  o.load.workers.add(m.load.workers);
  o.load.devices.add(m.load.devices);
  o.load.hint = m.load.hint;
  o.load.bytes = bytes.size() + part_bytes;
  restore_messages(o, from, m);
  if (!head.parts) return read(std::move(arriving), bytes);
  // A task waits for the parts. The node is not idle meanwhile.
  arriving->bytes.assign(bytes.begin(), bytes.end());
  thread_state& t = current_thread();
  const sched::outside_of_finishes outside(t);
  sched::count_spawned(t);
  sched::spawn_counted(t, {.scope = t.owner->root, .where = {}, .name = o.name}, read_task{this, arriving.release()});
}

void migration_arrival::restore_messages(local_object& to, rank from, const object_migration& m) const {
  for (const migrated_sender& one : m.senders.all) {
    sender_state& sender = to.sender(one.node);
    sender.next = one.next;
    sender.residences = one.residences;
    for (const migrated_refusal& r : one.refused) sender.refused[r.number] = r.cause;
    for (const std::uint64_t number : one.skipped) sender.out_of_order.try_emplace(number, nullptr);
  }
  for (const migrated_message& one : m.messages.all) {
    auto msg = from_header(one.header, one.name.text, job_->node_of(from));
    msg->set_received_arguments(one.arguments.all);
    if (msg->function) msg->type = message_type_at(msg->function);
    to.put_back(one.queue, std::move(msg));
  }
}

void migration_arrival::read_task::operator()() const {
  std::unique_ptr<arriving_object> arriving(what);
  const std::span<const std::byte> bytes = arriving->bytes;
  by->read(std::move(arriving), bytes);
}

void migration_arrival::read(std::unique_ptr<arriving_object> arriving, std::span<const std::byte> bytes) {
  local_object& o = *arriving->local;
  const rank from = arriving->from;
  const migration_header& head = arriving->head;
  failure_ref cause;
  bool is_rejected = false, is_sender_lost = false;
  try {
    if (!o.type)
      throw error("N13",
                  "node " + job_->name_of(homes_.self()) + " cannot find the type of an object that migrates to it")
          .because("the library that contains it is not loaded there, or has another version")
          .remedy("load the same libraries on every node before their objects migrate");
    dist::parts_reader more(*job_, std::move(arriving->parts), std::move(arriving->behind), bytes);
    try {
      field_reader in(more.begin(), more);
      if (head.is_constructed) o.object = o.type->read(in);
    } catch (...) {
      is_sender_lost = more.has_failed();
      throw;
    }
  } catch (const std::bad_alloc&) {
    is_rejected = head.is_retained;  // else the source no longer has the object
    cause = detail::make_failure(std::current_exception(), failures_.display_name(o.id, o.name), {});
  } catch (...) {
    cause = detail::make_failure(std::current_exception(), failures_.display_name(o.id, o.name), {});
  }
  if (!is_sender_lost) {
    if (is_rejected) reject(from, head, o.name, cause);
    else accept(std::move(arriving), std::move(cause));
  }
  counters_.protocol_message_received();
}

void migration_arrival::accept(std::unique_ptr<arriving_object> arriving, failure_ref cause) {
  const rank from = arriving->from;
  const object_id id = arriving->head.object;
  const migration_epoch epoch = arriving->head.epoch;
  if (arriving->head.is_retained) runner_.send(from, object_accepted{id, epoch});
  data::acknowledge_message(from, arriving->head.attachments, base::require_current("migrate"));
  deferred_actions actions;
  failure_ref earlier_loss;
  {
    auto& s = directory_.shard_of(id);
    const std::scoped_lock lock(s.lock);
    // For this node the source has failed: it has reported or will report that the object did not arrive. Drop it. If
    // the source fails later, the object is here by then.
    if (homes_.is_lost(from)) return;
    std::unique_ptr<local_object> o = std::move(arriving->local);
    object_entry& e = s.all[id];
    e.location = homes_.self();
    e.epoch = epoch;
    e.was_sent_there = false;
    e.awaited_from = no_rank;
    if (e.name.empty()) e.name = o->name;
    if (cause) {
      e.loss = failures_.of_object(id, o->name, *cause.get());
      local_.fail_all_messages(*o, e, e.loss, actions);
      if (homes_.home_of(id) != homes_.self()) actions.send.push_back({homes_.home_of(id), object_failed{id, cause}});
    } else {
      ++s.counters.moved_in;
      earlier_loss = local_.install(s, e, std::move(o), actions);
      // The message that ordered this migration is the first.
      if (!e.local->pending_migrations().empty()) local_.complete_migration(*e.local, {}, actions);
      actions.send.push_back({homes_.home_of(id), object_arrived{id, epoch}});
      local_.advance(*e.local, actions);
    }
  }
  if (earlier_loss) replies_.fail_unanswered(id, earlier_loss);
  runner_.run(actions);
}

void migration_arrival::on_unreceivable(rank from, const object_migration& prefix, failure_ref cause) {
  const migration_header& head = prefix.header;
  if (!head.is_retained) return job_->fail(cause->root().exception());
  if (head.parts) parts_->take(from, head.parts);
  reject(from, head, std::string(prefix.name.text), cause);
  counters_.protocol_message_received();
}

void migration_arrival::reject(rank from, const migration_header& head, const std::string& name,
                               const failure_ref& cause) {
  data::acknowledge_message(from, head.attachments, base::require_current("migrate"));
  runner_.send(from, object_rejected{head.object, head.epoch, failures_.of_object(head.object, name, *cause.get())});
}

}  // namespace stretto::mobiles
