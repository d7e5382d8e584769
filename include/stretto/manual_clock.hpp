// manual_clock.hpp - a clock that the program advances, for reproducible tests of deadlines (timed_wait.hpp).
//
//     bool gives_up_after_20_ms() {
//       using namespace std::chrono_literals;
//       const auto clock = std::make_shared<manual_clock>();
//       runtime rt({.clock = clock});
//       return rt.run([&] {
//         const user_event never = user_event::create();
//         auto waited = async([=] { return wait(never, within(20ms)); });
//         while (!waited.is_ready()) clock->advance(5ms), yield();  // as fast as the program likes
//         never.trigger();
//         return !waited.get();
//       });
//     }
//
// Threads     any.
// Cost        advance: a lock, and a wake-up for each runtime that uses the clock.
// Invariants  the time never decreases.
#pragma once

#include <stretto/compiler.hpp>

#include <chrono>
#include <memory>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
struct clock_access;
}

/// A clock that stands still until the program advances it. runtime_options::clock takes it. Several runtimes may share
/// one, as the nodes of a simulated job do. If the program never advances it, no deadline passes.
class manual_clock {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// A clock at time_point(). Throws std::bad_alloc.
  manual_clock();
  manual_clock(const manual_clock&) = delete;
  ~manual_clock();

  /// The current time of this clock.
  time_point now() const noexcept;
  /// Advances the clock; a duration of 0 or less changes nothing. Waits whose deadline has passed then return false.
  /// Throws std::system_error if a mutex cannot be locked.
  void advance(std::chrono::nanoseconds by);
  /// Advances the clock to this time; an earlier one changes nothing. Throws as advance().
  void advance_to(time_point t);

 private:
  friend detail::clock_access;
  struct state;
  const std::unique_ptr<state> state_;
};

}  // namespace stretto

STRETTO_API_END
