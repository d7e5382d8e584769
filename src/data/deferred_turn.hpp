// deferred_turn.hpp - exclusive access to elements of an instance for an update that consists of several operations, or
// runs on a device.
//
// Threads     ask, end_after: the thread that submits. Preconditions may end on any thread.
// Cost        two waiter records in one block, and one event.
#pragma once

#include <source_location>

#include "data/deferred.hpp"
#include "data/handle.hpp"
#include "data/update_queue.hpp"

namespace stretto::data {

class deferred_turn final : update_queue::turn {
 public:
  /// Requests a turn on `where` of the instance once `after` has ended. The caller must call end_after.
  static deferred_turn& ask(const detail::instance_handle& of, const box& where, const preconditions& after,
                            base::thread_context& context, const std::source_location& line);

  /// Triggers when the turn has begun; poisoned, without a turn, if `after` is.
  event begun() const noexcept { return begun_; }
  /// Ends the turn, and frees this object, once `done` has ended, which must follow begun().
  void end_after(event done, base::thread_context& context);

 private:
  struct step : deferred {
    step(start_function f, deferred_turn& o) noexcept : deferred(f), owner(o) {}
    deferred_turn& owner;
  };

  deferred_turn(const detail::instance_handle& of, const box& where, event begun,
                const std::source_location& line) noexcept;
  void begin(base::thread_context& context) noexcept;

  detail::instance_record& record_;
  const event begun_;
  const std::source_location line_;
  bool has_begun_ = false;
  step begin_, end_;  // armed with the preconditions of the turn; with the event that ends it
};

}  // namespace stretto::data
