// operation_steps.hpp - for hang reports: what an operation on instances of several nodes waits for on this node.
//
// A waiter that waits for an event on behalf of a request stores which request that is (step_waiter). A hang report
// finds the waiter in the event's list; no other record exists.
//
// Threads     as detail::when_ended; add_step: any thread, while others run.
// Cost        one allocation, as for a waiter without a step.
#pragma once

#include <stretto/instance.hpp>

#include <memory>
#include <utility>

#include "base/wait_snapshot.hpp"
#include "dist/pending_requests.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {

/// The part of a request that this node carries out. In reports: "copy of A" or "copy to A", and what it waits for.
struct operation_step {
  request_id of;
  const char* pending_on = "";                        // what the event stands for, as in its_preconditions
  const char* verb = nullptr;                         // null: reports use the name of the request
  const detail::instance_record* instance = nullptr;  // local instance
  enum class direction : bool { to, from } way = direction::to;
  detail::instance_handle posted = {};  // set if the step sends elements to a posted receive
};
inline constexpr const char* its_preconditions = "its preconditions";
inline constexpr const char* its_elements = "its elements";

/// `fire` is fire_it in all of them, so that add_step() recognises them; fire_then calls the callback of each.
struct step_waiter : waiter {
  operation_step step;
  fire_function fire_then = nullptr;
  static void fire_it(waiter& self, const failure* cause, base::thread_context& context) noexcept {
    static_cast<step_waiter&>(self).fire_then(self, cause, context);
  }
};

/// As detail::when_ended: calls then(const failure* cause, base::thread_context& context), now or later.
template <class F>
void when_ended(const operation_step& s, event e, base::thread_context& context, F&& then) {
  struct callback_waiter final : step_waiter {
    explicit callback_waiter(F&& f) : then(std::forward<F>(f)) {}
    std::decay_t<F> then;
  };
  auto w = std::make_unique<callback_waiter>(std::forward<F>(then));
  w->step = s;
  w->fire = step_waiter::fire_it;
  w->fire_then = +[](waiter& self, const failure* cause, base::thread_context& on) noexcept {
    const std::unique_ptr<callback_waiter> waited(&static_cast<callback_waiter&>(self));
    waited->then(cause, on);
  };
  if (e != event() && detail::subscribe(e, *w, context)) return void(w.release());
  const failure_ref cause = e == event() ? failure_ref() : detail::cause_of(e, context);
  w->then(cause.get(), context);
}

/// For hang reports: the node of the wait graph for a posted receive, which waits for its senders.
std::uint32_t node_of_posted(base::wait_walk& walk, const detail::instance_handle& posted);
/// For hang reports: returns false if the waiter is no step_waiter. Else adds to the wait graph what its request waits
/// for, if anything waits for the request.
bool add_step(const base::wait_walk::found_waiter& found, rank self, base::wait_walk& walk);

}  // namespace stretto::dist
