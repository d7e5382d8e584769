// update_queue.hpp - reductions into one instance that nothing orders: each applies as a whole, those on disjoint boxes at the same time.
//
// Threads     any; one lock of a few instructions.
// Cost        free boxes: two short locked sections for each reduction, whatever its size. Nothing for an element.
// Invariants  (1) the boxes of turns that have begun and not ended are disjoint. (2) turns whose boxes meet begin in the order in which
//             they asked. (3) a turn that has to wait is granted exactly once, by the thread that ends another.
// Source      reductions are atomic with respect to one another: Treichler, Bauer, Aiken, "Realm", PACT 2014, section 6.
#pragma once

#include <stretto/box.hpp>

#include "base/spin_lock.hpp"

namespace stretto::base {
struct thread_context;
}

namespace stretto::data {

class update_queue {
 public:
  /// One reduction's; it stays where it is from begin to end.
  struct turn {
    using grant = void (*)(turn& self, base::thread_context& context) noexcept;
    explicit turn(const box& b, grant g = nullptr) noexcept : where(b), granted(g) {}
    turn(const turn&) = delete;

    const box where;  // of the instance that is updated
    const grant granted;
    turn* next = nullptr;     // in the list of those that have begun, or that wait
    turn* granted_next = nullptr;
  };

  update_queue() noexcept = default;
  update_queue(const update_queue&) = delete;

  /// Begins the turn if it need not wait.
  bool try_begin(turn& t) noexcept;
  /// The same; else it waits, and `granted` is called once it has begun.
  bool begin(turn& t) noexcept;
  /// Ends a turn that has begun, and grants those that waited for it.
  void end(turn& t, base::thread_context& context) noexcept;
  /// The instance is destroyed: what waits is granted, and finds that out.
  void dissolve(base::thread_context& context) noexcept;

 private:
  void activate(turn& t) noexcept;
  bool begin_if_free(turn& t) noexcept;
  bool is_behind_another(const turn& t) const noexcept;  // of those that wait

  base::spin_lock lock_;
  turn* active_ = nullptr;
  turn* waiting_ = nullptr;  // oldest first
  turn** last_ = &waiting_;
};

}  // namespace stretto::data
