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
    // No thread to be had now: workers that are idle poll, and the next call tries again.
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
  started_.store(false, std::memory_order_release);
}

// Whoever called before it was seen to be asleep did not wake it; so both look again once they have said that they are.
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
    if (until == for_ever)
      base::futex_wait(calls_, seen);
    else if (const std::int64_t left = until - now(); left > 0)
      base::futex_wait_for(calls_, seen, left);
  }
  asleep_.store(sleep::none, std::memory_order_seq_cst);
}

void service_thread::serve(scheduler& owner) {
  asleep_.store(sleep::none, std::memory_order_seq_cst);
  thread_state* const t = owner.attach({}, "service thread");  // nobody asked for it
  base::set_current(t);
  // A timer of the system's comes some 50 us late unless it is told not to.
  prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
  std::int64_t pause = least_pause, waits_since = now();
  unsigned idle_polls = 0;
  for (std::uint32_t before = 0; !ends_.load(std::memory_order_seq_cst);) {
    const std::uint32_t seen = calls_.load(std::memory_order_seq_cst);
    const auto [due, was] = client_.poll_once(*t);
    const std::int64_t time = now();
    if (std::exchange(before, seen) != seen) waits_since = time;  // somebody stopped looking, or something began
    // While every worker has work, a look takes the processor from one of them, and what it finds has to wait for one.
    const std::uint64_t without_work = owner.searching_and_parked.load(std::memory_order_relaxed);
    const bool all_work = without_work == 0, all_sleep = without_work >> 32 == owner.workers.size();
    const std::int64_t least = std::min(all_work ? std::max(least_pause, longest_pause_ / 2) : least_pause, longest_pause_);
    if (was == client::finding::worked) {
      waits_since = time;
      pause = all_sleep ? 0 : least;  // what moves in polls alone goes on at once: nobody else has a use for the core
      idle_polls = 0;
    } else if (was == client::finding::workers_poll && waits_since != time) {
      pause = std::clamp(2 * pause, longest_pause_, most_pauses * longest_pause_);  // who stops and sleeps wakes it
    } else {
      // An end is told late by a part of what it was waited for: looks are rare where operations are long.
      pause = std::min(std::max((time - waits_since) / latency_fraction, least), longest_pause_);
    }
    if (due <= time + pause) {
      idle_polls = 0;
      // Due already: in its turn after the pause, whatever urgent there is before. Due soon: then.
      pause_between_polls(due <= time ? time + pause : due, due, seen);
    } else if (++idle_polls < patience) {
      pause_between_polls(time + longest_pause_, due, seen);
    } else {
      sleep_until_due(due, seen);
    }
  }
  base::set_current(nullptr);
  owner.detach(t);
}

}  // namespace stretto::sched
