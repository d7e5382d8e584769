// migration_arrival.cpp - an object arrives: this node reads it, in a task if its parts must be waited for, and
// installs it.
#include <stretto/error.hpp>

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

void mobile_objects::on_object(rank from, dist::reader& c) {
  const std::uint64_t length = c.left();
  auto o = std::make_unique<arriving_object>(from, migration_header(c));
  const migration_header& head = o->head;
  std::uint64_t apart = 0;
  if (head.parts) o->parts = parts_->take(from, head.parts);
  for (const auto& p : o->parts) apart += p.bytes();
  if (apart && !job_->has_room_for(length + apart)) {
    ++protocol_messages_received_;
    return reject_object(
        from, head,
        job_->no_room_for(kinds_[static_cast<std::size_t>(protocol_message::object)], from, length + apart));
  }
  o->what = std::make_unique<local_object>(head.id, mobile_type_at(head.type), head.name, head.epoch, self_);
  local_object& is = *o->what;
  for (auto n = c.get<std::uint32_t>(); n && c.is_whole(); --n) o->behind.push_back(c.get<std::uint64_t>());
  is.load.workers.add(c.get<double>());
  is.load.devices.add(c.get<double>());
  is.load.hint = c.get<double>();
  const auto bytes = c.get_bytes(c.get<std::uint64_t>());
  is.load.bytes = bytes.size() + apart;
  for (auto n = c.get<std::uint32_t>(); n && c.is_whole(); --n) {
    sender_state& sender = is.sender(c.get<rank>());
    sender.next = c.get<std::uint64_t>();
    for (auto residences = c.get<std::uint32_t>(); residences && c.is_whole(); --residences) {
      const auto end = c.get<std::uint64_t>();
      sender.residences.push_back({end, c.get<rank>()});
    }
    for (auto refused = c.get<std::uint32_t>(); refused && c.is_whole(); --refused) {
      const auto number = c.get<std::uint64_t>();
      sender.refused[number] = failures_->read(c, from);
    }
  }
  for (char mark = c.get<char>(); mark != '.' && c.is_whole(); mark = c.get<char>()) {
    if (mark == 's') {
      sender_state& sender = is.sender(c.get<rank>());
      sender.out_of_order.try_emplace(c.get<std::uint64_t>(), nullptr);
      continue;
    }
    auto msg = read_message(c, job_->node_of(from));
    if (!msg->object) continue;
    if (msg->function) msg->type = message_type_at(msg->function);
    if (mark == 'm') is.pending_migrations().push_back(msg.release());
    else if (mark == 'w') is.waiting().push(*msg.release());
    else if (sender_state& sender = is.sender(msg->from);
             sender.out_of_order.try_emplace(msg->number, msg.get()).second)
      msg.release();
  }
  if (!head.parts) return read_object(std::move(o), bytes);
  // A task waits for the parts. The node is not idle meanwhile.
  o->bytes.assign(bytes.begin(), bytes.end());
  thread_state& t = current_thread();
  const sched::outside_of_finishes outside(t);
  sched::count_spawned(t);
  sched::spawn_counted(t, {.scope = t.owner->root, .where = {}, .name = head.name}, read_task{this, o.release()});
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
  if (has_come && !has_room) reject_object(from, head, std::move(cause));
  else if (has_come) accept_object(std::move(arriving), std::move(cause));
  ++protocol_messages_received_;
}

void mobile_objects::accept_object(std::unique_ptr<arriving_object> arriving, failure_ref cause) {
  const rank from = arriving->from;
  const object_id id = arriving->head.id;
  const std::uint32_t epoch = arriving->head.epoch;
  if (arriving->head.is_retained) send(from, object_accepted{id, epoch});
  data::acknowledge_message(from, arriving->head.along, base::require_current("migrate"));
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
