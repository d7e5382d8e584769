// remote_call.hpp - a function that runs as a task of another process.
//
// The caller sends the function, its arguments and the address of its operation. The other process stores them, runs
// the function as a task, and sends the result, or the text of an exception, back to that address.
//
// Source      remote procedure calls: UPC++, where they run inside of progress. Here they are tasks, which may wait.
#pragma once

#include <stretto_upcxx/engine.hpp>

#include <stretto/error.hpp>
#include <stretto/task.hpp>

#include <string>

namespace stretto::upcxx_detail {

template <class T>
inline constexpr bool is_distributed = std::is_same_v<T, ::upcxx::team>;
template <class T>
inline constexpr bool is_distributed<::upcxx::dist_object<T>> = true;

/// An argument of the function at the target: the local part of what all processes have, or a value.
template <class T>
using argument_at_target =
    std::conditional_t<is_distributed<std::remove_cvref_t<T>>, std::remove_cvref_t<T>&, std::decay_t<T>>;

template <class Function, class... Argument>
using result_of_remote = std::decay_t<std::invoke_result_t<std::decay_t<Function>&, argument_at_target<Argument>...>>;

/// The text of the exception that is being handled.
std::string text_of_exception();
/// M38, at the process that made the call.
std::exception_ptr remote_failure(int rank, const std::string& text);

/// Addresses of the caller's operation; 0 if nobody waits.
using call_token = std::uint64_t;

/// At the caller: the call has ended with a value.
template <class T>
struct take_result {
  template <class... Value>
  void operator()(call_token token, Value&&... value) const {
    auto& o = *reinterpret_cast<operation_with_result<T>*>(token);
    o.keep(std::forward<Value>(value)...);
    engine::of_process().end(o);
  }
};
/// At the caller: the call has ended with an exception.
template <class T>
struct take_failure {
  void operator()(call_token token, int rank, const std::string& text) const {
    auto& o = *reinterpret_cast<operation_with_result<T>*>(token);
    o.fail(remote_failure(rank, text));
    engine::of_process().end(o);
  }
};

/// At the target.
template <class T, class Function, class... Argument>
class call_of_caller final : public arrived_call {
 public:
  template <class F, class... A>
  call_of_caller(int caller, call_token token, F&& function, A&&... arguments)
      : caller_(caller),
        token_(token),
        function_(std::forward<F>(function)),
        arguments_(std::forward<A>(arguments)...) {}

  void run() override {
    try {
      if constexpr (std::is_void_v<T>) {
        std::apply(function_, std::move(arguments_));
        reply([&] { ::upcxx::rpc_ff(caller_, take_result<T>(), token_); });
      } else {
        const T value = std::apply(function_, std::move(arguments_));
        reply([&] { ::upcxx::rpc_ff(caller_, take_result<T>(), token_, value); });
      }
    } catch (...) {
      const std::string text = text_of_exception();
      reply([&] { ::upcxx::rpc_ff(caller_, take_failure<T>(), token_, ::upcxx::rank_me(), text); });
      if (!token_) throw;  // nobody else learns of it
    }
  }

 private:
  template <class Send>
  [[gnu::noinline]] void reply(Send&& send) const {
    engine& here = engine::of_process();
    const auto held = here.calling();
    if (token_) send();
    here.count_served();
  }

  const int caller_;
  const call_token token_;
  Function function_;
  std::tuple<Argument...> arguments_;
};

/// At the target: inside of UPC++'s progress.
template <class T>
struct take_call {
  template <class Function, class... Argument>
  void operator()(int caller, call_token token, Function&& function, Argument&&... arguments) const {
    using call = call_of_caller<T, std::decay_t<Function>, argument_at_target<Argument>...>;
    engine::of_process().arrive(
        std::make_unique<call>(caller, token, std::forward<Function>(function), std::forward<Argument>(arguments)...));
  }
};

/// `o`: waits for the result; null if nobody does. Not part of its callers, as call_now.
template <class T, class Function, class... Argument>
[[gnu::noinline]] void send_call(engine& by, int to, std::unique_ptr<operation_with_result<T>> o, Function&& function,
                                 Argument&&... arguments) {
  const auto held = by.calling();
  const auto token = reinterpret_cast<call_token>(o.get());
  if (o) by.add(std::move(o));
  by.count_sent();
  by.counts().calls.add();
  ::upcxx::rpc_ff(to, take_call<T>(), ::upcxx::rank_me(), token, std::forward<Function>(function),
                  std::forward<Argument>(arguments)...);
}

}  // namespace stretto::upcxx_detail
