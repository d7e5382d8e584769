// Letters are sent: to objects that are here as tasks, to others by what is known of where they are.
#include <mutex>
#include <utility>

#include "base/order_observer.hpp"
#include "dist/answered.hpp"
#include "mobile/mobile_objects.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

void mobile_objects::post(task_record& r, void* thread, object_id id) {
  letter& l = letter_in(r);
  shard& s = shard_of(id);
  std::unique_lock hold(s.lock);
  entry* e = s.find(id);
  if (e && e->here) [[likely]]
    return post_near(hold, s, *e, r, thread);
  hold.unlock();
  const std::shared_ptr<far_letter> far = far_copy(l, id, self_, arguments_of(l));  // before it has a number, as it may throw
  if (job_) {
    job_->hold_back(r.where);
    far->memory = {job_->pressure(), dist::back_pressure::what::kept, far->bytes().size()};
  }
  const detail::value_reader read = become_far(r);
  sched::count_spawned(here());  // perhaps on another thread than before
  decision d{};
  failure_ref lost;
  hold.lock();
  e = &s.all[id];
  if (e->lost && !e->here) {
    lost = e->lost;
  } else {
    far->number = e->sent++;
    far->answered = e->answered;
    ++e->unanswered;
    ++s.counted.far;
    requests_.add(r, read, far);  // before it is decided: a loss that comes later finds it
    d = decide(e, *far);
  }
  hold.unlock();
  if (lost) {
    const dist::call_under_way call{&r, r.scope, read};
    r.flags &= static_cast<std::uint8_t>(~task_record::has_value);
    call.end_value(lost, {}, here());
    return call.end_all({}, here());
  }
  send_by(d, far);
}

void mobile_objects::post_near(std::unique_lock<base::spin_lock>& hold, shard& s, entry& e, task_record& r, void* thread) {
  letter& l = letter_in(r);
  resident& o = *e.here;
  correspondent& by = o.own();
  l.number = e.sent++;
  ++s.counted.near;
  if (thread && by.next == l.number && kind_of(l) != letter_kind::migrate && o.begin_at_once(l)) [[likely]] {
    ++by.next;
    l.at = &o;
    hold.unlock();
    return detail::submit(r, thread);
  }
  thread_state& t = here();
  r.place = sched::no_place;
  if (t.observer) [[unlikely]]
    t.observer->spawned(&r, t);
  sched::count_spawned(t);
  errands out;
  o.accept(by, l);
  advance(o, out);
  hold.unlock();
  run(out);
}

void mobile_objects::send_first(const std::shared_ptr<const far_letter>& l) {
  decision d;
  {
    shard& s = shard_of(l->object);
    const std::scoped_lock lock(s.lock);
    d = decide(s.find(l->object), *l);
  }
  send_by(d, l);
}

void mobile_objects::send_by(const decision& d, const std::shared_ptr<const far_letter>& l) {
  if (d.what == decision::pass_on && !d.way.is_pinned) return pass_on(d.to, l, d.way, dist::job::counting::itself);
  deliver(std::make_unique<far_letter>(*l));
}

void mobile_objects::send_again(const far_letter& l, rank avoid) {
  if (l.what() == letter_kind::make) return;  // it goes straight to its node, or is lost with that
  auto again = std::make_unique<far_letter>(l);
  again->way.avoid = avoid;
  const rank home = home_of(l.object);
  bool is_far = false;
  if (home != self_) {
    shard& s = shard_of(l.object);
    const std::scoped_lock lock(s.lock);
    const entry* const e = s.find(l.object);
    is_far = !(e && (e->here || e->lost)) && !is_lost(home);
  }
  if (is_far) pass_on(home, std::move(again), {0, avoid, 0, false});
  else deliver(std::move(again));
}

void mobile_objects::pass_on(rank to, const std::shared_ptr<const far_letter>& l, const passage& way, dist::job::counting is) {
  dist::writer w;
  write_words(w, *l, way, node_);
  w.put(static_cast<std::uint8_t>(l->refused ? 1 : 0));
  if (l->refused) causes_->write(w, *l->refused.get());
  ++said_;
  const std::span<const std::byte> arguments = l->bytes();
  const dist::message_kind kind = kinds_[static_cast<std::size_t>(say::letter)];
  if (!dist::job::is_lent(arguments.size())) {
    w.put_bytes(arguments);
    return job_->send(to, kind, std::move(w));
  }
  job_->send(to, kind, w, arguments, l, is);
}

}  // namespace stretto::mobiles
