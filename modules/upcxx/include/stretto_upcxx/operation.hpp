// operation.hpp - an operation of UPC++ whose end a future of Stretto waits for.
//
// Threads     start, keep, fail: with the master persona. finish, poison: without it, as dependents may run inside.
// Invariants  a promise of Stretto is never set while its thread has the master persona: a task that runs inside may
//             suspend, and a persona belongs to a thread.
#pragma once

#include <stretto/future.hpp>
#include <upcxx/upcxx.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace stretto::upcxx_detail {

class operation {
 public:
  operation() = default;
  operation(const operation&) = delete;
  virtual ~operation() = default;

  /// Calls UPC++. For an operation that begins in its turn, such as a collective call.
  virtual void start() {}
  /// Sets the promise.
  virtual void finish() noexcept = 0;
  virtual void poison(std::exception_ptr why) noexcept = 0;

  std::size_t index = 0;  // the engine's, among pending operations
};

/// An operation with a result of type T.
template <class T>
class operation_with_result : public operation {
 public:
  future<T> get_future() const { return result_.get_future(); }
  template <class... Value>
  void keep(Value&&... value) {
    value_.emplace(std::forward<Value>(value)...);
  }
  void fail(std::exception_ptr why) noexcept { why_ = std::move(why); }

  void finish() noexcept override {
    if (why_) result_.poison(std::move(why_));
    else if constexpr (std::is_void_v<T>) result_.set();
    else result_.set(std::move(*value_));
  }
  void poison(std::exception_ptr why) noexcept override { result_.poison(std::move(why)); }

 private:
  using stored = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  promise<T> result_;
  std::optional<stored> value_;
  std::exception_ptr why_;
};

/// The value of a future of Stretto for the values of a future of UPC++: void, T, or a tuple of several.
template <class Values>
struct joined_values {
  using type = Values;
};
template <>
struct joined_values<std::tuple<>> {
  using type = void;
};
template <class T>
struct joined_values<std::tuple<T>> {
  using type = std::decay_t<T>;
};

/// Futures of UPC++ of any kind.
template <class T>
concept upcxx_future = requires(const std::decay_t<T>& f) { f.result_tuple(); };

/// UPC++ 2022.9 has the name is_ready; earlier versions have the other one only.
template <upcxx_future Future>
bool is_ready(const Future& f) {
  if constexpr (requires { f.is_ready(); }) return f.is_ready();
  else return f.ready();
}

/// The value of the future that stands for the result of a call: of a future of UPC++ its value, otherwise itself.
template <class Result>
struct value_of_result {
  using type = std::decay_t<Result>;
};
template <class Result>
  requires upcxx_future<Result>
struct value_of_result<Result> : joined_values<decltype(std::declval<const Result&>().result_tuple())> {};

template <class Call>
using value_of_call = typename value_of_result<std::invoke_result_t<Call&>>::type;

}  // namespace stretto::upcxx_detail
