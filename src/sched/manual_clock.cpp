#include "sched/manual_clock.hpp"

#include <atomic>
#include <mutex>
#include <vector>

namespace stretto {

struct manual_clock::state {
  std::atomic<time_point::rep> time{0};
  std::mutex lock;  // guards what follows
  std::vector<poller*> pollers;
};

manual_clock::manual_clock() : state_(std::make_unique<state>()) {}
manual_clock::~manual_clock() = default;

manual_clock::time_point manual_clock::now() const noexcept {
  return time_point(time_point::duration(state_->time.load(std::memory_order_seq_cst)));
}

void manual_clock::advance(std::chrono::nanoseconds by) {
  if (by.count() <= 0) return;
  const std::scoped_lock lock(state_->lock);
  state_->time.fetch_add(std::chrono::duration_cast<time_point::duration>(by).count(), std::memory_order_seq_cst);
  for (poller* p : state_->pollers) p->poll_now();
}

void manual_clock::advance_to(time_point t) {
  const std::scoped_lock lock(state_->lock);
  if (t <= now()) return;
  state_->time.store(t.time_since_epoch().count(), std::memory_order_seq_cst);
  for (poller* p : state_->pollers) p->poll_now();
}

void detail::clock_access::add(manual_clock& clock, poller& p) {
  const std::scoped_lock lock(clock.state_->lock);
  clock.state_->pollers.push_back(&p);
}

void detail::clock_access::remove(manual_clock& clock, poller& p) noexcept {
  const std::scoped_lock lock(clock.state_->lock);
  std::erase(clock.state_->pollers, &p);
}

}  // namespace stretto
