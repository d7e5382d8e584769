// deferred_turn.hpp - a turn to update elements of an instance, as events: for updates that are several operations, or a device's.
//
// Threads     ask, end_after: the thread that submits. What it waits for may end on any thread.
// Cost        two records of waiters in one block, and one event.
#pragma once

#include <source_location>

#include "data/deferred.hpp"
#include "data/handle.hpp"
#include "data/update_queue.hpp"

namespace stretto::data {

class deferred_turn final : update_queue::turn {
 public:
  /// Asks for a turn on `where` of the instance once `after` has ended. It must be given back by end_after.
  static deferred_turn& ask(const detail::instance_handle& of, const box& where, const preconditions& after, base::thread_context& context,
                            const std::source_location& line);

  /// Happens when the turn has begun; poisoned, with no turn, if `after` is.
  event begun() const noexcept { return begun_; }
  /// The turn ends, and this goes, once `done` has ended, which follows begun().
  void end_after(event done, base::thread_context& context);

 private:
  struct step : deferred {
    step(start_function f, deferred_turn& o) noexcept : deferred(f), owner(o) {}
    deferred_turn& owner;
  };

  deferred_turn(const detail::instance_handle& of, const box& where, event begun, const std::source_location& line) noexcept;
  void begin(base::thread_context& context) noexcept;

  detail::instance_record& record_;
  const event begun_;
  const std::source_location line_;
  bool has_begun_ = false;
  step first_, last_;
};

}  // namespace stretto::data
