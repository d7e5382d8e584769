// manual_clock.hpp - a clock that the program moves, for deadlines (timed_wait.hpp).
//
//     const auto clock = std::make_shared<manual_clock>();
//     runtime rt({.clock = clock});
//     ...                                                      // a task calls wait(e, within(20ms))
//     clock->advance(std::chrono::milliseconds(20));           // and gives up, unless e has happened
//
// Threads     any.
// Cost        moving it: a lock, and a wake-up for each runtime that goes by it.
// Invariants  it never goes back.
#pragma once

#include <stretto/compiler.hpp>

#include <chrono>
#include <memory>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
struct clock_access;
}

/// A clock that stands still until the program moves it. runtime_options::clock takes it; several runtimes may share
/// one, as the nodes of a simulated job do. The runtime waits for it as for any clock: who never moves it makes a wait
/// with a deadline one without.
class manual_clock {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Begins at time_point().
  manual_clock();
  manual_clock(const manual_clock&) = delete;
  ~manual_clock();

  time_point now() const noexcept;
  /// Moves it forward; nothing happens for what is not positive. Waits whose deadline has come then give up soon.
  void advance(std::chrono::nanoseconds by);
  void advance_to(time_point t);

 private:
  friend detail::clock_access;
  struct state;
  const std::unique_ptr<state> state_;
};

}  // namespace stretto

STRETTO_API_END
