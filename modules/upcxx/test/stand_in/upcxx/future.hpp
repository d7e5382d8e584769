// future.hpp - futures and promises of the stand-in: the part of UPC++'s interface that the module and its tests use.
// Callbacks run inside the call that makes the future ready.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace upcxx {

template <class... T>
class future;
template <class... T>
class promise;

void progress();

namespace stand_in {

/// Ends the process, with this text, unless the calling thread has the master persona.
void require_master(const char* call);

template <class... T>
struct future_state {
  std::optional<std::tuple<T...>> values;
  std::vector<std::function<void()>> callbacks;

  void set(std::tuple<T...> all) {
    require_master("a promise is fulfilled");
    values.emplace(std::move(all));
    for (auto& call : std::exchange(callbacks, {})) call();
  }
};

/// The future that `then` returns for a callback with this result.
template <class R>
struct future_of {
  using type = future<R>;
};
template <>
struct future_of<void> {
  using type = future<>;
};
template <class... T>
struct future_of<future<T...>> {
  using type = future<T...>;
};

template <class... T>
auto value_of(const std::tuple<T...>& values) {
  if constexpr (sizeof...(T) == 1) return std::get<0>(values);
  else if constexpr (sizeof...(T) > 1) return values;
}

/// Makes `to` ready with the result of the call, once that is there.
template <class Promise, class Call>
void fulfill_with(Promise& to, Call&& call) {
  using result = std::invoke_result_t<Call>;
  if constexpr (std::is_void_v<result>) {
    call();
    to.fulfill_result();
  } else if constexpr (requires(result r) { r.result_tuple(); }) {
    call().then([to](auto&&... values) mutable { to.fulfill_result(std::forward<decltype(values)>(values)...); });
  } else {
    to.fulfill_result(call());
  }
}

}  // namespace stand_in

template <class... T>
class future {
 public:
  explicit future(std::shared_ptr<stand_in::future_state<T...>> of) : of_(std::move(of)) {}

  bool is_ready() const { return of_->values.has_value(); }
  std::tuple<T...> result_tuple() const { return *of_->values; }
  auto result() const { return stand_in::value_of(*of_->values); }
  auto wait() const {
    while (!is_ready()) progress();
    return result();
  }

  template <class Callback>
  auto then(Callback callback) const {
    using result = typename stand_in::future_of<std::decay_t<std::invoke_result_t<Callback&, T&...>>>::type;
    auto to = typename result::promise_type();
    const auto f = to.get_future();
    auto run = [of = of_.get(), to, callback]() mutable {
      stand_in::fulfill_with(to, [&] { return std::apply(callback, *of->values); });
    };
    if (is_ready()) run();
    else of_->callbacks.emplace_back(std::move(run));
    return f;
  }
  using promise_type = promise<T...>;

 private:
  std::shared_ptr<stand_in::future_state<T...>> of_;
};

template <class... T>
class promise {
 public:
  future<T...> get_future() const { return future<T...>(is_); }
  template <class... Value>
  void fulfill_result(Value&&... values) {
    is_->set(std::tuple<T...>(std::forward<Value>(values)...));
  }

 private:
  std::shared_ptr<stand_in::future_state<T...>> is_ = std::make_shared<stand_in::future_state<T...>>();
};

template <class... T>
future<std::decay_t<T>...> make_future(T&&... values) {
  promise<std::decay_t<T>...> p;
  p.fulfill_result(std::forward<T>(values)...);
  return p.get_future();
}

}  // namespace upcxx
