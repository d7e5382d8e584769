// coroutine.hpp - co_await on events and futures; functions that return future<T> may be coroutines.
//
// A coroutine that waits keeps its frame only, not a stack: a million of them may wait at once.
//
// Threads     a coroutine starts on the thread of its caller and resumes on any worker of the runtime.
// Cost        one heap allocation per call; a wait costs a list node in the frame and a task.
//
//     future<int> twice(future<int> x) { co_return 2 * co_await x; }
//
//     future<int> four_times_when(event start, future<int> x) {
//       co_await start;                   // throws in here if the event is poisoned
//       const int doubled = co_await twice(x);
//       co_return 2 * doubled;
//     }
//     int use() { return four_times_when(event(), async([] { return 10; })).get(); }  // 40
#pragma once

#include <stretto/future.hpp>

#include <coroutine>
#include <cstdint>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

/// The awaiter of an event or a task. It lies in the coroutine's frame; the coroutine resumes as a task once the
/// dependency has ended.
class coroutine_wait {
 public:
  coroutine_wait(const dependency& d, const std::source_location& where) noexcept : waits_for_(d), where_(where) {}
  bool await_ready() const;
  /// False if it has ended meanwhile.
  bool await_suspend(std::coroutine_handle<> handle);

  // The core's; first comes the node that is linked into what is waited for.
  alignas(16) std::byte waiter[16];
  std::coroutine_handle<> handle;

 protected:
  void rethrow() const;  // if it ended poisoned
  dependency waits_for_;
  std::source_location where_;
  std::uint64_t arithmetic_ = 0;  // the coroutine's rounding and the like, if not the usual one
  friend struct coroutine_waiter;
};

struct event_awaiter : coroutine_wait {
  using coroutine_wait::coroutine_wait;
  void await_resume() const { rethrow(); }
};

template <class T>
struct future_awaiter : coroutine_wait {
  future_awaiter(future<T> f, const std::source_location& where)
      : coroutine_wait(static_cast<dependency>(f), where), value(std::move(f)) {}
  T await_resume() {
    rethrow();
    if constexpr (std::is_void_v<T>) return;
    else return std::as_const(value).get(where_);
  }
  future<T> value;
};

/// Memory of a coroutine's frame, as aligned as the values in it ask, up to 4096.
void* new_frame(std::size_t bytes);
void delete_frame(void* frame, std::size_t bytes) noexcept;

template <class T>
struct coroutine_state {
  static void* operator new(std::size_t bytes) { return new_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { delete_frame(frame, bytes); }

  promise<T> result;
  future<T> get_return_object() { return result.get_future(); }
  std::suspend_never initial_suspend() noexcept { return {}; }
  std::suspend_never final_suspend() noexcept { return {}; }
  void unhandled_exception() { result.poison(std::current_exception()); }
};

}  // namespace detail

/// Suspends a coroutine until the event has ended, or until the future is ready; its value is the future's value.
/// Resuming throws the failure of the event or future.
inline auto operator co_await(event e) { return detail::event_awaiter(e, std::source_location::current()); }
template <class T>
auto operator co_await(future<T> f) {
  return detail::future_awaiter<T>(std::move(f), std::source_location::current());
}

}  // namespace stretto

template <class T, class... Arguments>
struct std::coroutine_traits<stretto::future<T>, Arguments...> {
  struct promise_type : stretto::detail::coroutine_state<T> {
    template <class Value>
    void return_value(Value&& value) {
      this->result.set(std::forward<Value>(value));
    }
  };
};
template <class... Arguments>
struct std::coroutine_traits<stretto::future<void>, Arguments...> {
  struct promise_type : stretto::detail::coroutine_state<void> {
    void return_void() { this->result.set(); }
  };
};

STRETTO_API_END
