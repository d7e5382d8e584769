// timer_module.hpp - a small real module: events that happen at a time, found by polling.
//
// Threads     sleep_until: any thread of the runtime.
#pragma once

#include <stretto/event.hpp>
#include <stretto/module.hpp>

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace stretto::test {

using steady = std::chrono::steady_clock;

class timer_module final : public module, private poller {
 public:
  explicit timer_module(std::string name = "timer") : name_(std::move(name)) {}

  /// An event that triggers at `t` or soon after.
  event sleep_until(steady::time_point t) {
    const user_event e = user_event::create();
    add_pending();
    const std::scoped_lock lock(mutex_);
    due_.emplace(t, e);
    next_poll(due_.begin()->first);
    return e;
  }
  event sleep_for(steady::duration d) { return sleep_until(steady::now() + d); }

  std::size_t waiting() const noexcept { return pending(); }
  std::string_view name() const noexcept override { return name_; }
  void initialise(module_host& host) override {
    host.add_poller(*this);
    rung_ = host.add_statistic("alarms");
  }
  /// No task waits any more: pending events never trigger.
  void finalise() override {
    stop_polling();
    fail(std::make_exception_ptr(std::runtime_error("the runtime has ended before that time")));
    remove_pending(due_.size());
    due_.clear();
  }

 private:
  std::size_t poll() override {
    std::size_t n = 0;
    for (;;) {
      user_event next;
      {
        const std::scoped_lock lock(mutex_);
        next_poll(due_.empty() ? steady::time_point::max() : due_.begin()->first);
        if (due_.empty() || due_.begin()->first > steady::now()) return n;
        next = due_.begin()->second;
        due_.erase(due_.begin());
      }
      rung_.add();  // count before a waiting task can check
      next.trigger();
      remove_pending();
      ++n;
    }
  }
  void fail(std::exception_ptr why) noexcept override {
    for (const auto& [when, e] : due_) e.poison(why);
  }

  const std::string name_;
  statistic rung_;
  std::mutex mutex_;  // guards the members below
  std::multimap<steady::time_point, user_event> due_;
};

}  // namespace stretto::test
