#include "trace/clock.hpp"

#include <chrono>
#include <limits>
#include <thread>

namespace stretto::trace::clock {
namespace {

using namespace std::chrono_literals;

std::int64_t steady_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::int64_t system_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

struct instant {
  ticks counter;
  std::int64_t steady_ns;
};

// Reads both clocks at one moment: of several attempts, the one with the least disturbance.
instant read_both() noexcept {
  instant best{};
  ticks tightest = std::numeric_limits<ticks>::max();
  for (int attempt = 0; attempt < 8; ++attempt) {
    const ticks before = cycle_counter::read();
    const std::int64_t between = steady_ns();
    const ticks after = cycle_counter::read();
    if (after - before < tightest) {
      tightest = after - before;
      best = {before + (after - before) / 2, between};
    }
  }
  return best;
}

struct anchor {
  instant start;
  std::int64_t system_ns;
};

const anchor& process_anchor() {
  static const anchor it{
      chosen_source() == source::cycle_counter ? read_both() : instant{static_cast<ticks>(steady_ns()), steady_ns()},
      system_ns()};
  return it;
}

}  // namespace

namespace detail {

constinit std::atomic<source> active_source{source::unknown};

ticks slow_now() noexcept {
  return chosen_source() == source::cycle_counter ? cycle_counter::read() : static_cast<ticks>(steady_ns());
}

}  // namespace detail

source chosen_source() noexcept {
  source s = detail::active_source.load(std::memory_order_relaxed);
  if (s == source::unknown) {  // several threads may compute the same result
    s = cycle_counter::is_invariant() ? source::cycle_counter : source::steady_clock;
    detail::active_source.store(s, std::memory_order_relaxed);
  }
  return s;
}

const char* name(source s) noexcept {
  switch (s) {
    case source::cycle_counter: return "cycle counter";
    case source::steady_clock: return "steady clock";
    case source::unknown: break;
  }
  return "unknown";
}

void start() { process_anchor(); }

calibration calibrate() {
  const anchor& a = process_anchor();
  calibration c{a.start.counter, a.start.steady_ns, a.system_ns, 1.0};
  if (chosen_source() != source::cycle_counter) {
    c.origin = static_cast<ticks>(a.start.steady_ns);
    return c;
  }
  // Reading both clocks errs by some ten nanoseconds: over 2 ms that is ten parts in a million.
  while (steady_ns() - a.start.steady_ns < 2'000'000) std::this_thread::sleep_for(1ms);
  const instant end = read_both();
  c.ns_per_tick =
      static_cast<double>(end.steady_ns - a.start.steady_ns) / static_cast<double>(end.counter - a.start.counter);
  return c;
}

double to_nanoseconds(ticks duration) { return static_cast<double>(duration) * calibrate().ns_per_tick; }

}  // namespace stretto::trace::clock
