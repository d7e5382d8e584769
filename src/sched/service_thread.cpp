#include "sched/service_thread.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/clock.hpp"
#include "base/futex.hpp"
#include "base/signals_blocked.hpp"
#include "sched/scheduler.hpp"

namespace stretto::sched {
namespace {

constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();

std::int64_t now() noexcept { return static_cast<std::int64_t>(base::nanoseconds_now()); }

}  // namespace

void service_thread::call(std::int64_t due, bool short_sleep) noexcept {
  if (!owner_.load(std::memory_order_seq_cst)) return;
  if (!started_.load(std::memory_order_acquire)) return start();
  const sleep how = asleep_.load(std::memory_order_seq_cst);
  if (how == sleep::none || (how == sleep::pause && !short_sleep)) return;
  if (how == sleep::long_sleep && due >= until_.load(std::memory_order_relaxed)) return;
  calls_.fetch_add(1, std::memory_order_seq_cst);
  base::futex_wake(calls_);
}

void service_thread::start() noexcept {
  const std::scoped_lock lock(start_mutex_);
  scheduler* const owner = owner_.load(std::memory_order_relaxed);
  if (!owner || thread_.joinable()) return;
  const base::signals_blocked here;
  try {
    thread_ = std::thread([this, owner] { serve(*owner); });
    started_.store(true, std::memory_order_release);
  } catch (...) {
    // The system has no thread now: idle workers poll, and the next call tries again.
  }
}

void service_thread::stop() noexcept {
  {
    const std::scoped_lock lock(start_mutex_);
    owner_.store(nullptr, std::memory_order_seq_cst);
  }
  if (!thread_.joinable()) return;
  ends_.store(true, std::memory_order_seq_cst);
  calls_.fetch_add(1, std::memory_order_seq_cst);
  base::futex_wake(calls_);
  thread_.join();
}

// A call() before the thread announces its sleep does not wake it. So both functions check next_due() again after the
// announcement.
void service_thread::pause_between_polls(std::int64_t until, std::int64_t due, std::uint32_t seen) noexcept {
  asleep_.store(sleep::pause, std::memory_order_seq_cst);
  if (client_.next_due() >= due && !ends_.load(std::memory_order_seq_cst))
    if (const std::int64_t left = until - now(); left > 0) base::futex_wait_for(calls_, seen, left);
  asleep_.store(sleep::none, std::memory_order_seq_cst);
}

void service_thread::sleep_until_due(std::int64_t until, std::uint32_t seen) noexcept {
  until_.store(until, std::memory_order_relaxed);
  asleep_.store(sleep::long_sleep, std::memory_order_seq_cst);
  if (client_.next_due() >= until && !ends_.load(std::memory_order_seq_cst)) {
    if (until == for_ever) base::futex_wait(calls_, seen);
    else if (const std::int64_t left = until - now(); left > 0) base::futex_wait_for(calls_, seen, left);
  }
  asleep_.store(sleep::none, std::memory_order_seq_cst);
}

void service_thread::serve(scheduler& owner) {
  asleep_.store(sleep::none, std::memory_order_seq_cst);
  thread_state* const t = owner.attach({}, "service thread");  // no user code attached it
  base::set_current(t);
  // By default the system's timers expire some 50 us late.
  prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
  std::int64_t pause = least_pause, waits_since = now();
  unsigned idle_polls = 0;
  for (std::uint32_t before = 0; !ends_.load(std::memory_order_seq_cst);) {
    const std::uint32_t seen = calls_.load(std::memory_order_seq_cst);
    const auto [due, was] = client_.poll_once(*t);
    const std::int64_t time = now();
    if (std::exchange(before, seen) != seen) waits_since = time;  // a worker stopped polling, or an operation began
    // While every worker has work, a poll takes a core from one of them, and the tasks that it makes ready have to
    // wait.
    const std::uint64_t without_work = owner.searching_and_parked.load(std::memory_order_relaxed);
    const bool all_work = without_work == 0, all_sleep = without_work >> 32 == owner.workers.size();
    const std::int64_t least = all_work ? longest_pause / 2 : least_pause;
    if (was == client::finding::worked) {
      waits_since = time;
      pause = all_sleep ? 0 : least;  // transfers that progress only in polls go on at once: no worker needs the core
      idle_polls = 0;
    } else if (was == client::finding::workers_poll && waits_since != time) {
      // a worker that stops polling to sleep wakes this thread
      pause = std::clamp(2 * pause, longest_pause, most_pauses * longest_pause);
    } else {
      // The latency of a completion is a fraction of its wait: polls are rare if operations are long.
      pause = std::min(std::max((time - waits_since) / latency_fraction, least), longest_pause);
    }
    if (due <= time + pause) {
      idle_polls = 0;
      // Already due: poll after the pause, whatever else is urgent. Due soon: poll then.
      pause_between_polls(due <= time ? time + pause : due, due, seen);
    } else if (++idle_polls < patience) {
      pause_between_polls(time + longest_pause, due, seen);
    } else {
      sleep_until_due(due, seen);
    }
  }
  started_.store(false, std::memory_order_release);  // first: a hang report must not count a thread that has ended
  base::set_current(nullptr);
  owner.detach(t);
}

}  // namespace stretto::sched
