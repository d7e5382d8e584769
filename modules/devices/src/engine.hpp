// engine.hpp - the state of a module for one runtime: its devices, statistics, and pending points of queues.
//
// Threads     begin, end: the runtime's. Other members: any thread of the runtime.
// Invariants  a point is added only between begin() and end(); later calls throw M35.
#pragma once

#include <stretto/module.hpp>
#include <stretto/native_device.hpp>
#include <stretto/stretto.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "queue_points.hpp"

namespace stretto::devices {

/// M35: the module cannot be used.
error not_usable(std::string_view driver, std::string why, std::string remedy);
/// M34: the driver has refused a call, or a command in a queue has failed.
error refused(std::string_view driver, std::string_view call, std::string why);

class engine : public place_server {
 public:
  /// `driver`: the name in option devices, in places and in statistics. `shown`: the name in sentences.
  engine(std::string_view driver, std::string_view shown, native_call::kind kind)
      : driver_(driver), shown_(shown), kind_(kind) {}

  void register_at(module_host& host);
  void begin(runtime& owner);
  void end() noexcept;
  void require_open() const;

  std::string_view driver() const noexcept { return driver_; }
  const std::vector<native_device>& devices() const noexcept { return devices_; }
  const native_device& device_at(place p, const std::source_location& where) const;

  void require_driver(place p, const std::source_location& where) const;

  /// Triggers `done` once the work in the queue has ended. Throws M34, M35.
  void add_point(void* queue, const user_event& done);

  void count_lent(place at, std::chrono::nanoseconds time) const { of(at).lent.add(1, time); }
  void count_adopted(std::chrono::nanoseconds time) const { adopted_.add(1, time); }
  void count_copy(place at, std::uint64_t bytes) const {
    if (at) of(at).copies.add(1, {}, bytes);
  }

  /// Tasks at the place of a device run on the workers.
  void serve(served_task&& task, place) override { task.to_workers(); }

  /// Calls a body that enqueues into this queue of the program.
  virtual void call_at(void* /*queue*/, const std::function<void()>& body) { body(); }

 protected:
  /// Enqueues a marker. Throws M34.
  virtual std::unique_ptr<queue_point> mark(void* queue) = 0;

 private:
  struct counted {
    statistic lent, copies;
  };
  const counted& of(place at) const noexcept;

  const std::string_view driver_, shown_;
  const native_call::kind kind_;
  std::vector<native_device> devices_;
  std::vector<counted> counts_;  // by place; default-made ones count nothing
  statistic adopted_;
  std::shared_ptr<queue_points> points_;
  std::shared_ptr<queue_points> served_;  // of the runtime before, which may still refer to its poller
  std::atomic<bool> is_open_{false};
};

}  // namespace stretto::devices
