// finish.hpp - waits for everything spawned inside, transitively; and what no finish waits for.
//
// Threads     the calling task suspends; its worker does not. Nested freely.
// Cost        a few ns per task spawned inside, no shared counter; one suspension at the end if work is left.
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
  /// Waits; throws the first failure that nobody observed, with how many more there were.
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

/// Runs `body` at once, on this stack, then waits for every task spawned inside it and inside those.
///
///   returns  what body returns
///   throws   what body throws, after waiting; else the first failure of a task inside that no get() or wait() has
///            rethrown: the task's own exception if it is alone, else error S06 with the count and the first
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

/// Runs `body` at once, on this stack, with no finish around it: what it spawns, here or on other nodes, is waited for
/// by futures, by the events that it triggers, and by the end of the runtime alone. For objects that send to one
/// another without end: a finish counts a message as long as anything lasts that came of it. What fails and is never
/// asked for is told when the runtime ends.
///
///   returns  what body returns
///
///     void cell::step() { ...; detached([&] { for (auto& n : neighbours) send(n, call<&cell::take>(border(n))); }); }
template <std::invocable<> F>
decltype(auto) detached(F&& body) {
  const detail::outside_finish here;
  return std::forward<F>(body)();
}

}  // namespace stretto

STRETTO_API_END
