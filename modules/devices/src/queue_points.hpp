// queue_points.hpp - events for points in queues of the program, polled or reported by the driver.
//
// Threads     add: any thread of the runtime. poll, fail: as poller.hpp says. notify: any thread, also a driver's.
// Invariants  points of one queue are passed in order, so that a poll tests only the first of each queue, and those
//             behind it once that has been passed.
#pragma once

#include <stretto/event.hpp>
#include <stretto/poller.hpp>

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace stretto::devices {

/// Lets a driver's thread ask for a poll, also after the poller was destroyed.
class poll_request {
 public:
  explicit poll_request(poller& of) noexcept : of_(&of) {}
  void notify() noexcept {
    const std::scoped_lock lock(mutex_);
    if (of_) of_->poll_now();
  }
  void disconnect() noexcept {
    const std::scoped_lock lock(mutex_);
    of_ = nullptr;
  }

 private:
  std::mutex mutex_;
  poller* of_;
};

/// A marker behind the work that was in a queue.
class queue_point {
 public:
  virtual ~queue_point() = default;
  /// Whether the work before it has ended; sets `failure` if it failed.
  virtual bool is_passed(std::exception_ptr& failure) noexcept = 0;
  /// The driver calls notify() once the point is passed. False: it cannot.
  virtual bool will_notify(const std::shared_ptr<poll_request>&) noexcept { return false; }
};

class queue_points final : public poller {
 public:
  queue_points() : request_(std::make_shared<poll_request>(*this)) {}
  ~queue_points() override { request_->disconnect(); }

  /// Triggers or poisons `done` once the point is passed. The caller has called add_pending.
  void add(const void* queue, std::unique_ptr<queue_point> p, const user_event& done);

  void fail(std::exception_ptr why) noexcept override;

 private:
  struct entry {
    std::unique_ptr<queue_point> point;
    user_event done;
    bool notifies = false;
  };
  struct ended_entry {
    user_event done;
    std::exception_ptr failure;
  };
  std::size_t poll() override;
  bool will_call() noexcept override;
  bool arm(entry& e) noexcept { return e.notifies = e.notifies || e.point->will_notify(request_); }

  const std::shared_ptr<poll_request> request_;
  std::mutex mutex_;
  std::map<const void*, std::deque<entry>> queues_;  // guarded by mutex_
  bool arms_new_ = false;                            // guarded by mutex_: nothing polls, each new point must notify
};

}  // namespace stretto::devices
