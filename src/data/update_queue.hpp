// update_queue.hpp - mutual exclusion of unordered reductions into one instance; those on disjoint boxes run at the
// same time.
//
// Threads     any; one lock of a few instructions.
// Cost        disjoint boxes: two short locked sections per reduction, whatever its size. Nothing per element.
// Invariants  (1) the boxes of active turns are disjoint. (2) turns on overlapping boxes begin in the order of their
//             requests. (3) a turn that waits is granted exactly once, by the thread that ends another.
// Source      reductions are atomic with respect to one another: Treichler, Bauer, Aiken, "Realm", PACT 2014, section
//             6.
#pragma once

#include <stretto/box.hpp>

#include "base/spin_lock.hpp"

namespace stretto::base {
struct thread_context;
}

namespace stretto::data {

class update_queue {
 public:
  /// The turn of one reduction; it is not moved from begin to end.
  struct turn {
    using grant = void (*)(turn& self, base::thread_context& context) noexcept;
    explicit turn(const box& b, grant g = nullptr) noexcept : where(b), granted(g) {}
    turn(const turn&) = delete;

    const box where;  // of the instance that is updated
    const grant granted;
    turn* next = nullptr;  // in the list of active or of waiting turns
    turn* granted_next = nullptr;
  };

  update_queue() noexcept = default;
  update_queue(const update_queue&) = delete;

  /// Begins the turn if it need not wait.
  bool try_begin(turn& t) noexcept;
  /// The same; if the turn must wait, `granted` is called once it has begun.
  bool begin(turn& t) noexcept;
  /// Ends an active turn and grants those that waited for it.
  void end(turn& t, base::thread_context& context) noexcept;
  /// The instance is destroyed: grants waiting turns, which then find that out.
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
