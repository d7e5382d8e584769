#include "mobile/periodic_balancing.hpp"

#include <algorithm>

#include "sched/scope_counting.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

namespace {

/// The next number of a linear congruential generator.
std::uint64_t next(std::uint64_t& x) noexcept { return x = x * 6364136223846793005u + 1442695040888963407u; }

}  // namespace

void periodic_balancing::start(round begin, policy p, std::uint64_t period_ms, std::uint64_t seed) noexcept {
  pause_ = std::chrono::milliseconds(period_ms);
  due_ = clock::now() + pause_;
  random_ = (seed + 1) * 0x9e3779b97f4a7c15u + job_->self();
  policy_ = p;
  begin_ = begin;
}

// Called by the task that has ended the round. After rounds without load the pause doubles, up to 8 times its length.
void periodic_balancing::end(double load) noexcept {
  constexpr unsigned most_idle = 3;
  idle_rounds_ = load > 0 ? 0 : std::min(idle_rounds_ + 1, most_idle);
  due_ = clock::now() + pause_ * (1 << idle_rounds_);
  is_under_way_.store(false, std::memory_order_release);
}

// Called in each poll. Only the coordinator, the first node that has not failed, begins rounds; the other nodes check
// once in a pause whether they have become it.
void periodic_balancing::begin_if_due(base::thread_context& context) {
  if (is_under_way_.load(std::memory_order_acquire) || job_->has_left()) return;
  const auto now = clock::now();
  if (now < due_ || job_->nodes() == 1) return;
  due_ = now + pause_;
  if (job_->coordinator() != job_->self()) return;
  is_under_way_.store(true, std::memory_order_relaxed);
  // No finish of the program waits for the tasks of the round.
  const sched::outside_of_finishes outside(static_cast<sched::thread_state&>(context));
  begin_(policy_, next(random_), [this](double load) { end(load); });
}

}  // namespace stretto::mobiles
