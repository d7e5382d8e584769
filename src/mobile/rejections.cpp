// rejections.cpp - a node lacks memory for an incoming message, reply or object: only that one fails.
//
// A rejected message is forwarded without arguments, so that the object can skip its sequence number. A rejected object
// stays on its source with its messages: the source keeps an object that may be rejected until the destination has
// accepted it.
#include <stretto/error.hpp>

#include <type_traits>

#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

failure_ref mobile_objects::rejection_failure(object_id id, const std::string& name, const failure& cause) const {
  return failure_ref::adopt(new failure(cause, "what was sent to " + display_name(id, name), {}));
}

void mobile_objects::on_unreceivable_message(rank from, const object_message& prefix, failure_ref cause,
                                             base::thread_context&) {
  if (is_malformed(prefix)) return job_->refuse_malformed(object_message::message, from);
  reject_message(from_header(prefix.header, prefix.name.text, job_->node_of(from)), std::move(cause));
  ++protocol_messages_received_;
}

void mobile_objects::reject_message(std::unique_ptr<remote_message> msg, failure_ref cause) {
  ++msg->routing.hops;
  std::string name;
  {
    shard& s = shard_of(msg->object);
    const std::scoped_lock lock(s.lock);
    if (const entry* const e = s.find(msg->object)) name = e->name;
  }
  msg->refused = rejection_failure(msg->object, name, *cause.get());
  deliver(std::move(msg));
}

template <class Reply>
void mobile_objects::on_unreceivable_reply(rank from, const Reply& prefix, failure_ref cause,
                                           base::thread_context& context) {
  if (is_malformed(prefix)) return job_->refuse_malformed(Reply::message, from);
  constexpr bool is_end = std::is_same_v<Reply, value_and_end_reply>;
  complete_request(is_end ? reply_stage::value_and_end : reply_stage::value, prefix.header.request, from,
                   std::move(cause), {});
  if (prefix.header.attachments) data::acknowledge_message(from, *prefix.header.attachments, context);
  ++protocol_messages_received_;
}
template void mobile_objects::on_unreceivable_reply(rank, const value_reply&, failure_ref, base::thread_context&);
template void mobile_objects::on_unreceivable_reply(rank, const value_and_end_reply&, failure_ref,
                                                    base::thread_context&);

void mobile_objects::on_unreceivable_object(rank from, const object_migration& prefix, failure_ref cause,
                                            base::thread_context&) {
  const migration_header& head = prefix.header;
  if (is_malformed(head)) return job_->refuse_malformed(object_migration::message, from);
  if (!head.is_retained) return job_->fail(cause->root().exception());
  if (head.parts) parts_->take(from, head.parts);
  reject_object(from, head, std::string(prefix.name.text), std::move(cause));
  ++protocol_messages_received_;
}

void mobile_objects::reject_object(rank from, const migration_header& head, const std::string& name,
                                   failure_ref cause) {
  data::acknowledge_message(from, head.attachments, base::require_current("migrate"));
  send(from, object_rejected{head.object, head.epoch, loss_failure(head.object, name, *cause.get())});
}

void mobile_objects::on(rank, const object_accepted& m) {
  const auto [id, epoch] = m;
  deferred_actions actions;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (e && e->departed && e->departed->what->epoch == epoch) actions.drop.push_back(std::move(e->departed));
  }
  run(actions);
}

void mobile_objects::on(rank, const object_rejected& m) {
  const object_id id = m.object;
  deferred_actions actions;
  failure_ref was_lost;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->departed || e->departed->what->epoch != m.epoch) return;
    if (e->departed.use_count() > 1) {  // some parts were sent, and the transport still reads them
      job_->begin_incoming();
      return returning_objects_.push_back(m);
    }
    const auto back = std::move(e->departed);
    e->was_sent_there = false;
    if (!e->home) e->location = self_;  // a home node learns it like the others
    --s.counters.moved_out;
    was_lost = install_object(id, *e, back->take_back(), actions);
    local_object& o = *e->local;
    o.cancellation_cause = m.cause;
    cancel_migration(o, actions);
    advance_object(o, actions);
  }
  if (was_lost) fail_unanswered(id, was_lost);
  run(actions);
}

void mobile_objects::take_back_rejected() {
  for (const object_rejected& m : std::exchange(returning_objects_, {})) {
    on(self_, m);
    job_->end_incoming();
  }
}

}  // namespace stretto::mobiles
