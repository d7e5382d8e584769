// clock.hpp - the cheapest steady clock: ticks, and their calibration to nanoseconds.
//
// Threads     every function, from any thread. Ticks of all threads of a process are comparable.
// Cost        now: one relaxed load and a read of the processor's counter, about 8 ns; about 25 ns for a system call.
// Invariants  within a process now() always uses one source, also before main.
//
// Ticks are converted to nanoseconds only by readers. The rate is known more precisely the longer the program has run
// (after a second, to some parts in ten million), and the hot path never divides.
#pragma once

#include <atomic>
#include <cstdint>

#include "trace/cycle_counter.hpp"

namespace stretto::trace {

using ticks = std::uint64_t;

/// The meaning of ticks; a value, so that readers of records need no clock.
struct calibration {
  ticks origin = 0;                   // the tick at which the clocks below had these values:
  std::int64_t steady_origin_ns = 0;  //   std::chrono::steady_clock, one per machine
  std::int64_t system_origin_ns = 0;  //   since 1970, UTC
  double ns_per_tick = 1.0;

  /// Nanoseconds from the origin; negative before it. Monotone, so nesting of spans survives.
  std::int64_t nanoseconds(ticks at) const noexcept {
    return static_cast<std::int64_t>(static_cast<double>(static_cast<std::int64_t>(at - origin)) * ns_per_tick);
  }
  friend bool operator==(const calibration&, const calibration&) = default;
};

namespace clock {

/// The processor's counter if its rate is constant, else the system's steady clock.
enum class source : std::uint8_t { unknown, cycle_counter, steady_clock };

namespace detail {
extern std::atomic<source> active_source;
ticks slow_now() noexcept;
}  // namespace detail

inline ticks now() noexcept {
  if (detail::active_source.load(std::memory_order_relaxed) == source::cycle_counter) [[likely]]
    return cycle_counter::read();
  return detail::slow_now();
}

source chosen_source() noexcept;

/// Sets the origin of this process's times to now, unless it is set.
void start();

const char* name(source s) noexcept;

/// The best calibration known now. Sleeps in the first 2 ms after start() until they are over.
calibration calibrate();

/// A duration in nanoseconds.
double to_nanoseconds(ticks duration);

}  // namespace clock
}  // namespace stretto::trace
