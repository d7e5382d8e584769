// sampler.hpp - selects the tasks whose times are measured: nearly every long one, about one in a thousand short ones.
//
// Threads     one writer, the worker; count, timed and estimated_ticks from any thread.
// Cost        take: one increment and one compare, about 1 ns; no clock.
// Invariants  count is exact. Between two timed tasks lie at most 1.5 * most_period others.
//
// Timing a task costs two reads of the clock, so the fraction of timed tasks adapts to the durations found. While
// tasks are shorter than `short_task` ticks, the distance between timed tasks doubles up to `most_period`; one long
// task resets it to one. A program of long tasks therefore has each in its trace, and one of short tasks pays
// nothing. Distances vary randomly (from a seed) about their mean, so that periodic programs are sampled fairly. Each
// timed task represents the tasks since the previous timed one.
#pragma once

#include <atomic>
#include <cstdint>

#include "trace/clock.hpp"

namespace stretto::trace {

class sampler {
 public:
  struct settings {
    std::uint32_t most_period = 1024;  // 1: every task; 0: none, they are only counted
    ticks short_task = 10'000;         // some microseconds: twenty nanoseconds more are below one per cent
    std::uint64_t seed = 1;
  };
  sampler() : sampler(settings()) {}
  explicit sampler(const settings& s) : settings_(s), next_(s.most_period ? 1 : never), random_(s.seed * 2 + 1) {}
  /// Before the first task.
  void choose(const settings& s) noexcept {
    settings_ = s;
    next_ = s.most_period ? 1 : never;
    random_ = s.seed * 2 + 1;
  }

  /// Counts a task. True: the caller must read the clock before and after the task and call record(); at most one
  /// task at a time.
  bool take() noexcept {
    const std::uint64_t n = count_.load(std::memory_order_relaxed) + 1;
    count_.store(n, std::memory_order_relaxed);
    return n >= next_;
  }

  /// Records the duration of the task that take() selected, and selects the next one.
  void record(ticks duration) noexcept {
    const std::uint64_t n = count_.load(std::memory_order_relaxed);
    add(timed_, 1);
    if (settings_.most_period == 1) {  // every task is timed
      add(estimated_, duration);
      last_ = n;
      next_ = n + 1;
      return;
    }
    add(estimated_, duration * (n - last_));
    last_ = n;
    if (duration >= settings_.short_task) period_ = 1;
    else if (period_ < settings_.most_period)
      period_ = 2 * period_ < settings_.most_period ? 2 * period_ : settings_.most_period;
    next_ = n + distance();
  }

  /// To be called instead of record() if take() selected a task that cannot be timed.
  void pass() noexcept { next_ = count_.load(std::memory_order_relaxed) + distance(); }

  std::uint64_t count() const noexcept { return count_.load(std::memory_order_relaxed); }
  std::uint64_t timed() const noexcept { return timed_.load(std::memory_order_relaxed); }
  /// The estimated time of all tasks up to the last timed one.
  ticks estimated_ticks() const noexcept { return estimated_.load(std::memory_order_relaxed); }

 private:
  static void add(std::atomic<std::uint64_t>& to, std::uint64_t n) noexcept {
    to.store(to.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);  // one writer
  }
  // Uniform in [period/2, 3 period/2], at least 1.
  std::uint64_t distance() noexcept {
    if (period_ == 1) return 1;
    random_ ^= random_ << 13;  // Marsaglia's xorshift, 2003
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return period_ - period_ / 2 + random_ % (2 * (period_ / 2) + 1);
  }

  static constexpr std::uint64_t never = ~std::uint64_t{0};
  settings settings_;
  std::uint64_t next_;  // the count at which take() returns true
  std::uint64_t last_ = 0;
  std::uint64_t random_;
  std::uint32_t period_ = 1;
  std::atomic<std::uint64_t> count_{0};
  std::atomic<std::uint64_t> timed_{0};
  std::atomic<std::uint64_t> estimated_{0};
};

}  // namespace stretto::trace
