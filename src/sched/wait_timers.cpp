#include "sched/wait_timers.hpp"

#include <utility>
#include <vector>

#include "sched/manual_clock.hpp"

namespace stretto::sched {

wait_timers::~wait_timers() {
  if (clock_) detail::clock_access::remove(*clock_, *this);
}

void wait_timers::use_clock(std::shared_ptr<manual_clock> clock) {
  if (clock_) detail::clock_access::remove(*clock_, *this);
  clock_ = std::move(clock);
  if (clock_) detail::clock_access::add(*clock_, *this);
}

wait_timers::time wait_timers::now() const noexcept {
  return clock_ ? clock_->now() : std::chrono::steady_clock::now();
}

bool wait_timers::is_due() const noexcept { return !set_.empty() && set_.begin()->first.at <= now(); }

// A manual clock makes this poller due after each move. So the time is read after the next poll has been deferred: a
// move that is not seen here happens later, and so does its call.
void wait_timers::arrange_next_poll() noexcept {
  if (!clock_) return next_poll(set_.empty() ? time::max() : set_.begin()->first.at);
  next_poll(time::max());
  if (is_due()) poll_now();
}

bool wait_timers::will_call() noexcept {
  if (!clock_) return false;
  const std::scoped_lock lock(lock_);
  return !is_due();
}

wait_timers::timer wait_timers::set(time at, std::shared_ptr<one_shot_event> what) {
  add_pending();
  const std::scoped_lock lock(lock_);
  const timer a{at, next_++};
  set_.emplace(a, std::move(what));
  arrange_next_poll();
  return a;
}

void wait_timers::cancel(const timer& a) noexcept {
  {
    const std::scoped_lock lock(lock_);
    if (set_.erase(a) == 0) return;
    arrange_next_poll();
  }
  remove_pending();
}

std::size_t wait_timers::poll() {
  std::vector<std::shared_ptr<one_shot_event>> due;
  {
    const std::scoped_lock lock(lock_);
    const time until = now();
    while (!set_.empty() && set_.begin()->first.at <= until) {
      due.push_back(std::move(set_.begin()->second));
      set_.erase(set_.begin());
    }
    arrange_next_poll();
  }
  for (const auto& one : due) one->end();
  if (!due.empty()) remove_pending(due.size());
  return due.size();
}

void wait_timers::fail(std::exception_ptr) noexcept {
  std::map<timer, std::shared_ptr<one_shot_event>> all;
  {
    const std::scoped_lock lock(lock_);
    all.swap(set_);
  }
  for (const auto& [when, one] : all) one->end();
  if (!all.empty()) remove_pending(all.size());
}

}  // namespace stretto::sched
