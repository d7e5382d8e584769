// operation_steps.hpp - what an operation on instances of several nodes waits for on this one, so that reports of a job that hangs follow it.
//
// Whoever waits for an event on behalf of a question says which one, in the waiter itself: a report finds it there, among the waiters
// of that event, and nothing is noted anywhere else.
//
// Threads     as detail::when_ended; tell_step: any, while others run.
// Cost        one allocation, as without a name.
#pragma once

#include <stretto/instance.hpp>

#include <memory>
#include <utility>

#include "base/wait_snapshot.hpp"
#include "dist/pending_requests.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {

/// A part that this node has in answering a question. Without a verb it needs no name beside the question's.
struct operation_step {
  request_id of;
  const char* what_for = "";  // "its preconditions"
  const char* verb = nullptr;
  const detail::instance_record* near = nullptr;  // of this node
  enum class direction : bool { to, from } way = direction::to;
  detail::instance_handle posted = {};            // whose elements this sends, if that is what another node posts
};
inline constexpr const char* its_preconditions = "its preconditions";
inline constexpr const char* its_elements = "its elements";

struct step_waiter : waiter {
  operation_step is;
  fire_function go_on = nullptr;
  static void fire_it(waiter& self, const failure* cause, base::thread_context& context) noexcept {
    static_cast<step_waiter&>(self).go_on(self, cause, context);
  }
};

/// then(const failure* cause, base::thread_context& context), as detail::when_ended.
template <class F>
void when_ended(const operation_step& s, event e, base::thread_context& context, F&& then) {
  struct watching final : step_waiter {
    explicit watching(F&& f) : then(std::forward<F>(f)) {}
    std::decay_t<F> then;
  };
  auto w = std::make_unique<watching>(std::forward<F>(then));
  w->is = s;
  w->fire = step_waiter::fire_it;
  w->go_on = +[](waiter& self, const failure* cause, base::thread_context& on) noexcept {
    const std::unique_ptr<watching> mine(&static_cast<watching&>(self));
    mine->then(cause, on);
  };
  if (e != event() && detail::subscribe(e, *w, context)) return void(w.release());
  const failure_ref cause = e == event() ? failure_ref() : detail::cause_of(e, context);
  w->then(cause.get(), context);
}

/// For reports: what another node posts, which waits for whoever sends to it.
std::uint32_t node_of_posted(base::wait_walk& walk, const detail::instance_handle& posted);
/// For reports: whether that is such a waiter, of node `self`; it has been told of then.
bool add_step(const base::wait_walk::found_waiter& found, rank self, base::wait_walk& walk);

}  // namespace stretto::dist
