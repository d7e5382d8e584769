#include <stretto/error.hpp>
#include <stretto/task.hpp>

#include <atomic>
#include <memory>

#include "base/count_down.hpp"
#include "event/event_floor.hpp"
#include "sched/scheduler.hpp"

namespace stretto {
namespace {

/// One waiter per input: the first to succeed fulfils the promise; the last to fail poisons it if none succeeds.
struct race {
  struct entrant : waiter {
    race* of = nullptr;
    std::size_t index = 0;
  };

  explicit race(std::size_t n, const std::source_location& where)
      : result(where), left(n), references(n + 1), entrants(new entrant[n]) {}

  void ended(std::size_t index, const failure* cause) noexcept {
    if (!cause) {
      if (!decided.exchange(true, std::memory_order_acq_rel)) result.set(index);
    } else if (cause->mark_observed(); base::count_down(left)) {
      if (!decided.exchange(true, std::memory_order_acq_rel)) {
        try {
          cause->raise();
        } catch (...) {
          result.poison(std::current_exception());
        }
      }
    }
    release();
  }
  void release() noexcept {
    if (base::count_down(references)) delete this;
  }
  static void fire(waiter& w, const failure* cause, base::thread_context&) noexcept {
    auto& e = static_cast<entrant&>(w);
    e.of->ended(e.index, cause);
  }

  promise<std::size_t> result;
  std::atomic<std::size_t> left;  // inputs that have not failed
  std::atomic<std::size_t> references;
  std::atomic<bool> decided{false};
  std::unique_ptr<entrant[]> entrants;
};

}  // namespace

future<std::size_t> when_any(std::span<const dependency> events, std::source_location where) {
  base::thread_context& context = base::require_current("when_any");
  if (events.empty())
    throw error("S05", "when_any has nothing to wait for")
        .fact("called", where)
        .because("its event would never trigger");
  auto* r = new race(events.size(), where);
  auto result = r->result.get_future(where);
  for (std::size_t i = 0; i < events.size(); ++i) {
    auto& e = r->entrants[i];
    e.fire = race::fire;
    e.of = r;
    e.index = i;
    completion* c = events[i].task();
    if (!(c ? c->subscribe(e) : detail::subscribe(events[i], e, context)))
      r->ended(i, detail::cause_of(events[i], context).get());
  }
  r->release();
  return result;
}

}  // namespace stretto
