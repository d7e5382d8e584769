#include "dist/member.hpp"

#include "event/event_floor.hpp"
#include "sched/scopes.hpp"
#include "sched/searching.hpp"

namespace stretto::dist {

member::member(seat& s, const std::function<void(job&, failures&)>& add_more)
    : job_(s.first()),
      causes_(job_),
      events_(job_, causes_),
      reservations_(job_, causes_),
      barriers_(job_, causes_),
      tasks_(&job_, &causes_),
      ending_(job_) {
  if (add_more) add_more(job_, causes_);
  job_.start([&](net::handlers& all) { return s.join(all); });
  add_pending();
}

void member::serve(base::runtime_context& runtime) {
  events_.serve(runtime);
  reservations_.serve(runtime);
  barriers_.serve(runtime);
}

void member::leave(sched::scheduler& s, const stretto::detail::poll_station& all) {
  scheduler_ = &s;
  s.root->outside.spawned.fetch_add(1, std::memory_order_acq_rel);  // the job itself, so that what drains waits for it
  ending_.leave({.is_idle = [this, &s, &all] { return sched::is_idle_in_poll(s) && all.is_only_pending(*this); },
                 .forsake = [](base::thread_context& context) { return detail::poison_forsaken(context); }});
}

std::size_t member::poll() {
  auto& context = base::require_current("member::poll");
  std::size_t found = job_.poll();
  ending_.advance(context);
  if (!ending_.is_over() || !scheduler_) return found;
  sched::count_ended(static_cast<sched::thread_state&>(context), std::exchange(scheduler_, nullptr)->root);
  remove_pending();
  return found + 1;
}

void member::fail(std::exception_ptr) noexcept {}

}  // namespace stretto::dist
