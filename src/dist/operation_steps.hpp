// operation_steps.hpp - for hang reports: the events for which an operation on instances of several nodes waits on this
// node.
//
// A waiter that waits for an event on behalf of a request stores which request that is. A hang report finds the waiter
// in the event's list; no other record exists.
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

/// The part that this node does of a request, and the event for which it waits. Without a verb, hang reports use the
/// name of the request.
struct operation_step {
  request_id of;
  const char* pending_on = "";  // "its preconditions"
  const char* verb = nullptr;
  const detail::instance_record* instance = nullptr;  // local instance
  enum class direction : bool { to, from } way = direction::to;
  detail::instance_handle posted = {};  // set if the step sends elements to a posted receive
};
inline constexpr const char* its_preconditions = "its preconditions";
inline constexpr const char* its_elements = "its elements";

struct step_waiter : waiter {
  operation_step step;
  fire_function fire_then = nullptr;
  static void fire_it(waiter& self, const failure* cause, base::thread_context& context) noexcept {
    static_cast<step_waiter&>(self).fire_then(self, cause, context);
  }
};

/// As detail::when_ended: calls then(const failure* cause, base::thread_context& context).
template <class F>
void when_ended(const operation_step& s, event e, base::thread_context& context, F&& then) {
  struct watching final : step_waiter {
    explicit watching(F&& f) : then(std::forward<F>(f)) {}
    std::decay_t<F> then;
  };
  auto w = std::make_unique<watching>(std::forward<F>(then));
  w->step = s;
  w->fire = step_waiter::fire_it;
  w->fire_then = +[](waiter& self, const failure* cause, base::thread_context& on) noexcept {
    const std::unique_ptr<watching> mine(&static_cast<watching&>(self));
    mine->then(cause, on);
  };
  if (e != event() && detail::subscribe(e, *w, context)) return void(w.release());
  const failure_ref cause = e == event() ? failure_ref() : detail::cause_of(e, context);
  w->then(cause.get(), context);
}

/// For hang reports: the node of the wait graph for a posted receive, which waits for its senders.
std::uint32_t node_of_posted(base::wait_walk& walk, const detail::instance_handle& posted);
/// For hang reports: adds the waiter to the wait graph and returns true if it is a step_waiter.
bool add_step(const base::wait_walk::found_waiter& found, rank self, base::wait_walk& walk);

}  // namespace stretto::dist
