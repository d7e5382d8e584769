// when_ended.hpp - calls a function once an event has ended, with the cause if it is poisoned.
//
// Threads     any of the runtime; `then` runs on the thread that ends the event, or inside the call. It must neither
//             suspend nor throw.
// Cost        one allocation.
#pragma once

#include <memory>
#include <utility>

#include "event/event_floor.hpp"

namespace stretto::detail {

/// then(const failure* cause, base::thread_context& context)
template <class F>
void when_ended(event e, base::thread_context& context, F&& then) {
  struct watching final : waiter {
    explicit watching(F&& f) : then(std::forward<F>(f)) {}
    std::decay_t<F> then;
  };
  auto w = std::make_unique<watching>(std::forward<F>(then));
  w->fire = +[](waiter& self, const failure* cause, base::thread_context& on) noexcept {
    const std::unique_ptr<watching> mine(&static_cast<watching&>(self));
    mine->then(cause, on);
  };
  if (e != event() && subscribe(e, *w, context)) return void(w.release());
  const failure_ref cause = e == event() ? failure_ref() : cause_of(e, context);
  w->then(cause.get(), context);
}

}  // namespace stretto::detail
