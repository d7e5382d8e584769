#include <stretto/timed_wait.hpp>

#include <stretto/barrier.hpp>
#include <stretto/task.hpp>

#include <memory>

#include "event/completion.hpp"
#include "event/event_floor.hpp"
#include "sched/poll_coordinator.hpp"
#include "sched/scheduler.hpp"
#include "sched/wait_timers.hpp"

namespace stretto {
namespace {

/// Fired when the dependency ends, perhaps long after the wait has timed out.
struct timed_waiter : waiter {
  explicit timed_waiter(std::shared_ptr<sched::one_shot_event> e) noexcept : ends(std::move(e)) { fire = ended; }
  static void ended(waiter& self, const failure*, base::thread_context&) noexcept {
    const std::unique_ptr<timed_waiter> one(static_cast<timed_waiter*>(&self));
    one->ends->end();
  }
  std::shared_ptr<sched::one_shot_event> ends;
};

sched::thread_state& thread_that_waits() { return static_cast<sched::thread_state&>(base::require_current("wait")); }

bool has_ended_now(const dependency& d) {
  if (completion* c = d.task()) return c->is_done();
  return detail::has_ended(d, thread_that_waits());
}

void wait_for_either(const dependency& d, deadline by, const std::source_location& where) {
  sched::thread_state& t = thread_that_waits();
  const auto over = std::make_shared<sched::one_shot_event>(user_event::create(where));
  auto told = std::make_unique<timed_waiter>(over);
  completion* c = d.task();
  if (!(c ? c->subscribe(*told) : detail::subscribe(d, *told, t))) {
    over->end();
    return;
  }
  told.release();  // deletes itself
  sched::wait_timers& timers = t.owner->polls->timers();
  const auto set = timers.set(by.at, over);
  wait(over->over(), where);
  timers.cancel(set);
}

}  // namespace

std::chrono::steady_clock::time_point time_now() noexcept {
  if (const base::thread_context* const context = base::current())
    if (const auto* const s = context->runtime->get<sched::scheduler>(base::floor_slot::sched); s && s->polls)
      return s->polls->timers().now();
  return std::chrono::steady_clock::now();
}

bool wait(const dependency& d, deadline by, std::source_location where) {
  if (!has_ended_now(d) && by.at > time_now()) {
    if (by.at == std::chrono::steady_clock::time_point::max()) wait(d, where);
    else wait_for_either(d, by, where);
  }
  if (!has_ended_now(d)) return false;
  wait(d, where);  // throws its failure
  return true;
}

bool wait(const barrier& b, deadline by, std::source_location where) {
  thread_that_waits();
  if (!b.has_triggered()) {
    if (by.at <= time_now()) return false;
    if (const event e = b.event(where); e != event() && !wait(dependency(e), by, where)) return false;
  }
  wait(b, where);  // throws its failure
  return true;
}

}  // namespace stretto
