// stream_completion_queue.hpp - the pending completions of one stream, and which of its operations get a driver
// event.
//
// Operations of a stream complete in order, so an event behind the last of several reports all of them. The number of
// operations per event follows from how long operations take: as many as complete within 50 microseconds. Long
// operations therefore get an event each, and no completion is reported much too late. Operations behind the last
// event get one at the next poll.
//
// Threads     one at a time. Pure: the caller passes the time.
// Invariants  (1) completions are taken oldest first. (2) every pending completion is covered by an event after the
//             next poll that finds fewer than two events pending.
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

  /// Whether the next operation needs an event of its own. False: a later event will cover it.
  bool next_needs_event() const noexcept { return waiting_.empty() || since_event_ + 1 >= operations_per_event_; }
  /// No completion is pending: the next operation starts an idle stream.
  bool is_idle() const noexcept { return waiting_.empty(); }

  void add(places::completion* done, bool has_event, time now) {
    if (waiting_.empty()) last_end_ = now;
    waiting_.push_back(done);
    ++since_event_;
    if (has_event) add_event();
  }
  /// The caller recorded an event behind all pending operations.
  void add_event() {
    covered_.push_back(since_event_);
    since_event_ = 0;
  }
  /// Whether the poll must record an event for operations that have none.
  bool needs_event() const noexcept { return since_event_ > 0 && covered_.size() < 2; }

  bool has_events() const noexcept { return !covered_.empty(); }
  /// The oldest event was reached, perhaps with a failure: moves the completions that it covers to `ended`.
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
  /// Called once per poll, after all reached events were taken: updates the estimated time per operation.
  void update_rate(time now) noexcept {
    if (!ended_) return;
    const auto each = std::max<std::int64_t>(std::chrono::nanoseconds(now - last_end_).count(), 1) /
                      static_cast<std::int64_t>(ended_);
    operation_ns_ = operation_ns_ < 0 ? each : (3 * operation_ns_ + each) / 4;
    operations_per_event_ = static_cast<std::size_t>(std::clamp<std::int64_t>(
        delay_limit_ns_ / std::max<std::int64_t>(operation_ns_, 1), 1, most_operations_per_event));
    last_end_ = now;
    ended_ = 0;
  }

  std::size_t operations_per_event() const noexcept { return operations_per_event_; }

  static constexpr std::int64_t most_operations_per_event = 64;

 private:
  static constexpr std::int64_t delay_limit_ns_ = 50'000;  // a completion is reported about this late

  std::deque<places::completion*> waiting_;
  std::deque<std::size_t> covered_;  // per pending event: the operations since the previous event
  std::size_t since_event_ = 0;      // operations without an event
  std::size_t operations_per_event_ = 1, ended_ = 0;
  std::int64_t operation_ns_ = -1;
  time last_end_{};
};

}  // namespace stretto::device
