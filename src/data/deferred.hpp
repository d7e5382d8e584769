// deferred.hpp - base of actions that start once their preconditions have ended.
//
// Threads     arm: the thread that submits. Waiters fire on any thread; start runs on the thread that ends the last
//             one.
// Cost        up to four pending preconditions are subscribed to directly; more are merged into one event first.
// Invariants  (1) start runs exactly once. (2) its cause is the failure of the first poisoned precondition in their
//             order. The events of `order` have ended before, and may have failed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <stretto/instance.hpp>

#include "event/event_floor.hpp"

namespace stretto::data {

/// The state of preconditions: whether any is pending, and if not, whether any is poisoned.
struct precondition_state {
  bool pending = false;
  failure_ref cause;  // of the first poisoned one; meaningful only if nothing is pending
};
precondition_state state_of_preconditions(const preconditions& after, std::span<const event> also,
                                          base::thread_context& context);

struct deferred {
  using start_function = void (*)(deferred& self, failure_ref cause, base::thread_context& context) noexcept;

  explicit deferred(start_function f) noexcept : start(f) {}
  deferred(const deferred&) = delete;

  /// Subscribes to all of `after`, `also` and `order`; start may run in this call. The object may be gone when this
  /// returns. Throws, with nothing subscribed, if there is no memory for a merge.
  void arm(const preconditions& after, std::span<const event> also, base::thread_context& context,
           std::span<const event> order = {});
  void arm(std::span<const event> after, base::thread_context& context, std::span<const event> order = {});
  /// To be called before arm: start also waits for one call of one_more_ended.
  void waits_for_one_more() noexcept { unended_.fetch_add(1, std::memory_order_relaxed); }
  void one_more_ended(base::thread_context& context) noexcept { arrived(context); }

  /// For reports: the action of which `w`, a copy of the waiter at `at`, is a link; null if there is none.
  static const deferred* owner_of(const waiter& w, const void* at) noexcept;
  bool starts_with(start_function f) const noexcept { return start == f; }

 private:
  void link_to(const dependency& d, std::size_t n, waiter::fire_function on_fire, base::thread_context& context);
  struct link : waiter {
    deferred* owner = nullptr;
    failure_ref cause;
  };
  static void on_end(waiter& self, const failure* cause, base::thread_context& context) noexcept;
  static void on_end_either_way(waiter& self, const failure* cause, base::thread_context& context) noexcept;
  void arrived(base::thread_context& context) noexcept;

  std::array<link, 4> links_;
  std::atomic<std::uint32_t> unended_{1};  // one for arm() itself
  start_function start;
};

}  // namespace stretto::data
