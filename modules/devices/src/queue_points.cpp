#include "queue_points.hpp"

#include <utility>

namespace stretto::devices {

void queue_points::add(const void* queue, std::unique_ptr<queue_point> p, const user_event& done) {
  bool must_poll = false;
  {
    const std::scoped_lock lock(mutex_);
    entry& e = queues_[queue].emplace_back(std::move(p), done);
    must_poll = arms_new_ && !arm(e);
  }
  if (must_poll) poll_now();
}

std::size_t queue_points::poll() {
  std::vector<ended_entry> ended;
  {
    const std::scoped_lock lock(mutex_);
    arms_new_ = false;
    for (auto q = queues_.begin(); q != queues_.end();) {
      auto& points = q->second;
      for (std::exception_ptr failure; !points.empty() && points.front().point->is_passed(failure); failure = nullptr) {
        ended.push_back({points.front().done, failure});
        points.pop_front();
      }
      q = points.empty() ? queues_.erase(q) : std::next(q);
    }
  }
  // Outside of the lock: dependents may run at once, and enqueue more.
  for (const ended_entry& e : ended)
    if (e.failure) e.done.poison(e.failure);
    else e.done.trigger();
  remove_pending(ended.size());
  return ended.size();
}

bool queue_points::will_call() noexcept {
  const std::scoped_lock lock(mutex_);
  for (auto& [queue, points] : queues_) {
    std::exception_ptr failure;
    if (points.front().point->is_passed(failure) || !arm(points.front())) return false;
  }
  return arms_new_ = true;
}

void queue_points::fail(std::exception_ptr why) noexcept {
  std::map<const void*, std::deque<entry>> all;
  {
    const std::scoped_lock lock(mutex_);
    all.swap(queues_);
  }
  for (auto& [queue, points] : all)
    for (entry& e : points) {
      e.done.poison(why);
      remove_pending();
    }
}

}  // namespace stretto::devices
