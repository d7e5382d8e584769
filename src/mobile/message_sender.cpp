#include "mobile/message_sender.hpp"

#include "base/order_observer.hpp"
#include "dist/pending_call.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

void message_sender::post_local(std::unique_lock<base::spin_lock>& hold, object_directory::shard& s, object_entry& e,
                                task_record& r, void* thread) {
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
  local_.advance(o, actions);
  hold.unlock();
  runner_.run(actions);
}

void message_sender::post_remote(object_directory::shard& s, task_record& r, object_id id) {
  // before it gets a sequence number: this may throw
  const std::shared_ptr<remote_message> remote =
      to_remote(message_in(r), id, homes_.self(), arguments_of(message_in(r)));
  if (job_) {
    job_->hold_back(r.where);
    remote->memory = {job_->pressure(), dist::back_pressure::kind::unanswered, remote->bytes().size()};
  }
  const detail::value_reader read = drop_local_body(r);
  sched::count_spawned(current_thread());  // the task may have changed its thread
  message_router::decision d{};
  failure_ref loss;
  {
    const std::scoped_lock lock(s.lock);
    object_entry& e = s.all[id];
    if (e.loss && !e.local) {
      loss = e.loss;
    } else {
      e.number_message(*remote);
      ++s.counters.far;
      replies_.add(r, read, remote);  // before routing: a node failure meanwhile must find it
      d = router_.decide_route(&e, *remote);
    }
  }
  if (!loss) return router_.send_as_decided(d, remote);
  const dist::pending_call call{&r, r.scope, read};
  r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
  call.end_value(loss, {}, current_thread());
  call.end_all({}, current_thread());
}

}  // namespace stretto::mobiles
