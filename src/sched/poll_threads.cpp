#include "sched/poll_threads.hpp"

#include <sys/prctl.h>

#include "base/futex.hpp"
#include "base/signals_blocked.hpp"
#include "sched/scheduler.hpp"

namespace stretto::sched {

namespace {
constexpr unsigned polls_without_pause = 256;
constexpr std::int64_t pause_ns = 5'000;
}  // namespace

void poll_threads::start_with(scheduler& owner) noexcept {
  if (sources_.each.empty()) return;
  const base::signals_blocked here;
  try {
    for (const poll_function& poll : sources_.each)
      threads_.emplace_back([this, &owner, &poll] { serve(owner, poll); });
  } catch (...) {
    stop();
    sources_.on_no_threads();
    sources_.each.clear();
  }
}

void poll_threads::stop() noexcept {
  ends_.store(true, std::memory_order_seq_cst);
  wake();
  for (std::thread& t : threads_) t.join();
  threads_.clear();
}

void poll_threads::wake() noexcept {
  if (sources_.each.empty()) return;
  calls_.fetch_add(1, std::memory_order_seq_cst);
  base::futex_wake_all(calls_);
}

void poll_threads::serve(scheduler& owner, const poll_function& poll) {
  thread_state* const t = owner.attach({}, "device thread");  // no user code attached it
  base::set_current(t);
  prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
  for (unsigned idle = 0;;) {
    // In this order: a stop between the two changes calls_ after it was read, so the wait returns.
    const std::uint32_t seen = calls_.load(std::memory_order_seq_cst);
    if (ends_.load(std::memory_order_seq_cst)) break;
    if (!sources_.is_pending()) {
      // A thread that begins an operation after this check calls wake(), so that the wait ends at once.
      base::futex_wait(calls_, seen);
      idle = 0;
      continue;
    }
    owner.outside_began();
    const std::size_t ended = poll();
    owner.outside_ended();
    if (ended) idle = 0;
    else if (++idle > polls_without_pause) base::futex_wait_for(calls_, seen, pause_ns);
  }
  base::set_current(nullptr);
  owner.detach(t);
}

}  // namespace stretto::sched
