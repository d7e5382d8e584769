// stream_completion_queue.hpp - the completions that wait in one stream, and the few events of its driver that tell of them.
//
// Operations of a stream end in order, so an event behind the last of several tells of all. How many one event stands for
// follows from how long operations take: as many as end within some tens of microseconds, so that an event for each is paid
// where operations are long, and none is told much too late. What follows the last event gets one when somebody polls.
//
// Threads     one at a time. Pure but for the clock, which comes in as a value.
// Invariants  (1) completions are taken oldest first. (2) whatever waits is covered by an event after the next poll that
//             finds fewer than two events under way.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "platform/work_item.hpp"

namespace stretto::device {

class stream_completion_queue {
 public:
  using time = std::chrono::steady_clock::time_point;

  /// Whether an event has to tell of the operation that is enqueued next, rather than one behind it.
  bool next_needs_event() const noexcept { return waiting_.empty() || since_event_ + 1 >= operations_per_event_; }
  /// Nothing waits: with the next operation the stream begins to work.
  bool is_idle() const noexcept { return waiting_.empty(); }

  void add(places::completion* done, bool has_event, time now) {
    if (waiting_.empty()) last_end_ = now;
    waiting_.push_back(done);
    ++since_event_;
    if (has_event) add_event();
  }
  /// An event was put behind all that waits.
  void add_event() {
    covered_.push_back(since_event_);
    since_event_ = 0;
  }
  /// Whether a poll should put an event behind what has none.
  bool needs_event() const noexcept { return since_event_ > 0 && covered_.size() < 2; }

  bool has_events() const noexcept { return !covered_.empty(); }
  /// The oldest event has happened, with that failure: takes what it tells of.
  void complete_oldest(std::vector<places::completion*>& ended, const std::exception_ptr& failure) {
    const std::size_t n = covered_.front();
    covered_.pop_front();
    for (std::size_t i = 0; i < n; ++i) {
      waiting_.front()->failure = failure;
      ended.push_back(waiting_.front());
      waiting_.pop_front();
    }
    ended_ += n;
  }
  /// Of one poll, once all that has ended was taken: what that says of how long operations take.
  void update_rate(time now) noexcept {
    if (!ended_) return;
    const auto each = std::max<std::int64_t>(std::chrono::nanoseconds(now - last_end_).count(), 1) /
                      static_cast<std::int64_t>(ended_);
    operation_ns_ = operation_ns_ < 0 ? each : (3 * operation_ns_ + each) / 4;
    operations_per_event_ = static_cast<std::size_t>(std::clamp<std::int64_t>(delay_limit_ns_ / std::max<std::int64_t>(operation_ns_, 1), 1,
                                                                  most_operations_per_event));
    last_end_ = now;
    ended_ = 0;
  }

  std::size_t operations_per_event() const noexcept { return operations_per_event_; }

  static constexpr std::int64_t most_operations_per_event = 64;

 private:
  static constexpr std::int64_t delay_limit_ns_ = 50'000;  // nanoseconds

  std::deque<places::completion*> waiting_;
  std::deque<std::size_t> covered_;  // by each event under way: operations since the one before
  std::size_t since_event_ = 0;      // operations behind the last event
  std::size_t operations_per_event_ = 1, ended_ = 0;
  std::int64_t operation_ns_ = -1;
  time last_end_{};
};

}  // namespace stretto::device
