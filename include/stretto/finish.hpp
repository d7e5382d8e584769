// finish.hpp - finish: a scope that waits for all tasks spawned inside it, transitively; detached: tasks outside it.
//
//     void refine(int level) {
//       if (level > 0) async([=] { refine(level - 1); }), async([=] { refine(level - 1); });
//     }
//     void refine_and_log() {
//       finish([] {
//         refine(10);
//         detached([] { async([] { std::puts("refining"); }); });  // finish does not wait for this task
//       });                                                        // all 2,046 tasks of refine have ended
//     }
//
// Threads     the calling task suspends; its worker does not. Scopes may be nested.
// Cost        a few ns per task spawned inside, without a shared counter; one suspension at the end if tasks still run.
// Source      async-finish: X10, Habanero; termination by per-worker counters, completed summed before spawned.
#pragma once

#include <stretto/task.hpp>

#include <optional>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
class open_finish {
 public:
  explicit open_finish(const std::source_location& where);
  open_finish(const open_finish&) = delete;
  ~open_finish();  // if close() was not reached: waits, drops failures
  /// Waits for all tasks; throws the first failure that no task has observed, with the number of the others.
  void close();

 private:
  void* scope_;
};
class outside_finish {
 public:
  outside_finish();
  outside_finish(const outside_finish&) = delete;
  ~outside_finish();

 private:
  void* scope_;  // which counts again afterwards
};
}  // namespace detail

/// Calls `body` on this stack, then waits for every task spawned in it, on all nodes, and for the tasks that these
/// spawn.
///
///   returns  the result of body
///   throws   the exception of body, after waiting. Otherwise the failures of tasks inside that no get() or wait() has
///            rethrown: a single one as it is, several as error S06 with their number and the first one. B20 on a
///            thread of no runtime
///
///     finish([&] { for (auto& part : parts) async([&] { work(part); }); });     // all parts are done here
template <std::invocable<> F>
auto finish(F&& body, std::source_location where = std::source_location::current()) {
  detail::open_finish scope(where);
  if constexpr (std::is_void_v<std::invoke_result_t<F>>) {
    std::forward<F>(body)();
    scope.close();
  } else {
    auto result = std::forward<F>(body)();
    scope.close();
    return result;
  }
}

/// Calls `body` on this stack, outside of every finish: no finish waits for the tasks and messages that it spawns, here
/// or on other nodes. Use their futures or events instead; the end of the runtime waits for them. It is meant for
/// objects that send to one another without end, because a finish waits for a message and all work that follows from
/// it. The runtime reports failures that no task has observed when it ends.
///
///   returns  the result of body
///   throws   the exception of body; B20 on a thread of no runtime
///
///     void cell::step() { ...; detached([&] { for (auto& n : neighbours) send(n, call<&cell::take>(border(n))); }); }
template <std::invocable<> F>
decltype(auto) detached(F&& body) {
  const detail::outside_finish here;
  return std::forward<F>(body)();
}

}  // namespace stretto

STRETTO_API_END
