// outgoing_messages.cpp - sends messages: to local objects as tasks, to other objects by their last known location.
#include <mutex>
#include <utility>

#include "base/order_observer.hpp"
#include "dist/pending_call.hpp"
#include "mobile/mobile_objects.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

void mobile_objects::post(task_record& r, void* thread, object_id id) {
  message& msg = message_in(r);
  shard& s = shard_of(id);
  std::unique_lock hold(s.lock);
  entry* e = s.find(id);
  if (e && e->local) [[likely]]
    return post_local(hold, s, *e, r, thread);
  hold.unlock();
  // before it gets a sequence number: this may throw
  const std::shared_ptr<remote_message> remote = to_remote(msg, id, self_, arguments_of(msg));
  if (job_) {
    job_->hold_back(r.where);
    remote->memory = {job_->pressure(), dist::back_pressure::kind::unanswered, remote->bytes().size()};
  }
  const detail::value_reader read = drop_local_body(r);
  sched::count_spawned(current_thread());  // the task may have changed its thread
  decision d{};
  failure_ref lost;
  hold.lock();
  e = &s.all[id];
  if (e->loss && !e->local) {
    lost = e->loss;
  } else {
    remote->number = e->messages_sent++;
    remote->answered_below = e->answered_below;
    ++e->unanswered;
    ++s.counters.far;
    pending_replies_.add(r, read, remote);  // before routing: a node failure meanwhile must find it
    d = decide_route(e, *remote);
  }
  hold.unlock();
  if (lost) {
    const dist::pending_call call{&r, r.scope, read};
    r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
    call.end_value(lost, {}, current_thread());
    return call.end_all({}, current_thread());
  }
  send_as_decided(d, remote);
}

void mobile_objects::post_local(std::unique_lock<base::spin_lock>& hold, shard& s, entry& e, task_record& r,
                                void* thread) {
  message& msg = message_in(r);
  local_object& o = *e.local;
  sender_state& sender = o.local_sender();
  msg.number = e.messages_sent++;
  ++s.counters.near;
  if (thread && sender.next == msg.number && action_of(msg) != message_action::migrate && o.try_begin(msg)) [[likely]] {
    ++sender.next;
    msg.handled_object = &o;
    hold.unlock();
    return detail::submit(r, thread);
  }
  thread_state& t = current_thread();
  r.place = sched::no_place;
  if (t.observer) [[unlikely]]
    t.observer->spawned(&r, t);
  sched::count_spawned(t);
  deferred_actions actions;
  o.accept(sender, msg);
  advance_object(o, actions);
  hold.unlock();
  run(actions);
}

void mobile_objects::send_first(const std::shared_ptr<const remote_message>& msg) {
  decision d;
  {
    shard& s = shard_of(msg->object);
    const std::scoped_lock lock(s.lock);
    d = decide_route(s.find(msg->object), *msg);
  }
  send_as_decided(d, msg);
}

void mobile_objects::send_as_decided(const decision& d, const std::shared_ptr<const remote_message>& msg) {
  if (d.what == decision::forward && !d.routing.pins_object)
    return forward(d.to, msg, d.routing, dist::job::counting::itself);
  deliver(std::make_unique<remote_message>(*msg));
}

void mobile_objects::resend(const remote_message& msg, rank avoid) {
  if (msg.action_taken() == message_action::make) return;  // it goes directly to its node, or is lost with it
  auto again = std::make_unique<remote_message>(msg);
  again->routing.avoid = avoid;
  const rank home = home_of(msg.object);
  bool is_remote = false;
  if (home != self_) {
    shard& s = shard_of(msg.object);
    const std::scoped_lock lock(s.lock);
    const entry* const e = s.find(msg.object);
    is_remote = !(e && (e->local || e->loss)) && !is_lost(home);
  }
  if (is_remote) forward(home, std::move(again), {0, avoid, 0, false});
  else deliver(std::move(again));
}

void mobile_objects::forward(rank to, const std::shared_ptr<const remote_message>& msg, const routing_state& routing,
                             dist::job::counting is) {
  const object_message m{header_of(*msg, routing, node_), {msg->name}, msg->refused, msg->bytes()};
  ++protocol_messages_sent_;
  if (!dist::job::is_lent(m.arguments.size())) return job_->send(to, m);
  job_->send(to, m, msg, is);
}

}  // namespace stretto::mobiles
