// load_measurement.hpp - the costs of the local objects, for balancers: since the last round, or over two windows.
//
// Threads     Any.
// Source      Times are numbers of ticks (trace/clock.hpp) that the caller has read.
#pragma once

#include <atomic>
#include <cstdint>

#include "mobile/load_report.hpp"
#include "mobile/object_directory.hpp"

namespace stretto::mobiles {

class load_measurement {
 public:
  /// Measures the cost of handlers of local objects from now on.
  void begin(object_directory& objects, std::uint64_t now, double seconds_per_tick);
  bool is_on() const noexcept { return is_on_.load(); }
  /// An object has become local. Requires the lock of its shard.
  void apply_to(local_object& o) const {
    if (is_on()) o.measure();
  }
  /// A handler of the object has taken so many ticks. Requires the lock of its shard.
  void add(local_object& o, std::uint64_t ticks) const noexcept {
    o.load.workers.add(static_cast<double>(ticks) * seconds_per_tick_.load(std::memory_order_relaxed));
  }

  /// Completes `row` by the costs since the last round of the local objects `first` to `first + count - 1`; the other
  /// local objects count as background. `count` 0: all objects.
  static load_report report(object_directory& objects, load_report row, object_id first, std::uint64_t count);
  /// Completes `row` by the costs of all local objects over the last window and the current one; `begin_next` then
  /// begins the next window.
  enum class window_step : std::uint8_t { continue_window, begin_next };
  load_report windowed_report(object_directory& objects, load_report row, window_step what, std::uint64_t now);

 private:
  std::atomic<bool> is_on_{false};
  std::atomic<double> seconds_per_tick_{0};                            // set before is_on_
  std::atomic<std::uint64_t> window_begin_{0}, last_window_begin_{0};  // when the windows began, in ticks
};

}  // namespace stretto::mobiles
