#include "sched/alarms.hpp"

#include <utility>
#include <vector>

namespace stretto::sched {

alarms::alarm alarms::set(time at, std::shared_ptr<ended_once> what) {
  add_pending();
  const std::scoped_lock lock(lock_);
  const alarm a{at, next_++};
  set_.emplace(a, std::move(what));
  next_poll(set_.begin()->first.at);
  return a;
}

void alarms::cancel(const alarm& a) noexcept {
  {
    const std::scoped_lock lock(lock_);
    if (set_.erase(a) == 0) return;
    next_poll(set_.empty() ? time::max() : set_.begin()->first.at);
  }
  remove_pending();
}

std::size_t alarms::poll() {
  std::vector<std::shared_ptr<ended_once>> due;
  {
    const std::scoped_lock lock(lock_);
    const time now = std::chrono::steady_clock::now();
    while (!set_.empty() && set_.begin()->first.at <= now) {
      due.push_back(std::move(set_.begin()->second));
      set_.erase(set_.begin());
    }
    next_poll(set_.empty() ? time::max() : set_.begin()->first.at);
  }
  for (const auto& one : due) one->end();
  if (!due.empty()) remove_pending(due.size());
  return due.size();
}

void alarms::fail(std::exception_ptr) noexcept {
  std::map<alarm, std::shared_ptr<ended_once>> all;
  {
    const std::scoped_lock lock(lock_);
    all.swap(set_);
  }
  for (const auto& [when, one] : all) one->end();
  if (!all.empty()) remove_pending(all.size());
}

}  // namespace stretto::sched
