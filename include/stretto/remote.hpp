// remote.hpp - remote tasks: runs a function of the program on another node of the job, with serialised arguments.
//
//     int squared(int x) { return x * x; }
//
//     int sum_of_squares_of_node_numbers() {
//       std::vector<future<int>> all;
//       for (std::uint32_t n = 0; n < job_nodes(); ++n) all.push_back(async(at_node(n), call<&squared>(int(n))));
//       async(at_node(0), after(all[0]), call([](const std::string& s) { std::puts(s.c_str()); }, "0 squared"));
//       int sum = 0;
//       for (const future<int>& f : all) sum += f.get();
//       return sum;
//     }
//
// The request is sent at once, and waits for its preconditions, events of any node, on the target node. A finish also
// waits for tasks spawned inside it on other nodes, and for the tasks that these spawn.
//
// Threads     as async.
// Memory      the function gets its arguments only; it does not see other writes before the call.
// Cost        two messages, and a third if the function spawns tasks that outlive it; arguments and result are copied.
// Invariants  a function runs once, or never if a precondition or its node fails; the future ends in any case.
// Source      deferred spawning on other processors: Realm; finish over places: X10.
#pragma once

#include <stretto/detail/remote_function.hpp>
#include <stretto/fields.hpp>
#include <stretto/task.hpp>

#include <source_location>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

/// An exception of another node whose type cannot be sent: any type but stretto::error and std::runtime_error. It has
/// the name of the type and the text; what() is "solver::diverged: residual 3 (on N2)".
class remote_exception : public std::runtime_error {
 public:
  /// For Stretto itself. Throws std::bad_alloc only.
  remote_exception(std::string type, std::string message, const std::string& text)
      : std::runtime_error(text), type_(std::move(type)), message_(std::move(message)) {}

  /// The name of the exception's type: "solver::diverged", "std::out_of_range", "int".
  const std::string& type() const noexcept { return type_; }
  /// The text of its what().
  const std::string& message() const noexcept { return message_; }

 private:
  std::string type_, message_;
};

/// A function and its serialised arguments, for async. Made by call().
template <class R>
class remote_call {
 public:
  /// For call().
  remote_call(const detail::remote_function_type& function, detail::parcel&& arguments) noexcept
      : function_(&function), arguments_(std::move(arguments)) {}

 private:
  friend detail::remote_access;
  const detail::remote_function_type* function_;
  detail::parcel arguments_;
};

/// A call of `f` for another node: call<&f>(arguments...). The arguments are converted to the parameter types and
/// serialised in this call. Throws what the conversions and fields() throw.
template <auto f, class... A>
  requires(!detail::takes_object<decltype(f), sizeof...(A)>())
auto call(A&&... arguments) {
  using signature = detail::remote_signature_of<decltype(f)>;
  return remote_call<typename signature::result>(detail::remote_function<detail::named_function<f>>,
                                                 detail::written_arguments<signature>(std::forward<A>(arguments)...));
}
/// A call of a lambda without captures for another node: call([](int x) { ... }, 3). Throws as call<&f>().
template <class L, class... A>
  requires(std::is_class_v<L> && !detail::takes_object<L, sizeof...(A)>())
auto call(L, A&&... arguments) {
  static_assert(std::is_empty_v<L> && std::is_default_constructible_v<L>,
                "a lambda for another node captures nothing: what it needs are arguments");
  using signature = detail::remote_signature_of<L>;
  return remote_call<typename signature::result>(detail::remote_function<detail::lambda_function<L>>,
                                                 detail::written_arguments<signature>(std::forward<A>(arguments)...));
}

/// Runs the call as a task on a node and returns the future of its result.
///
///   tags     at_node(n), the target, which is this node by default, and those of async, in any order. Places and
///            workers are those of the target. A profile has the workers of the target; its times are converted to the
///            clock of this node, as if both messages took equally long
///   returns  a future, poisoned with the exception of the function, or with an error of the target: B40 for arguments
///            that it cannot read, N05 if it fails, N13 if its program has no such function, S02, S03
///   throws   B20; N02 if there is no such node; S02, S03 for a place or worker of this node; S04 for a priority
template <class R>
future<R> async(const remote_call<R>& c, std::source_location where = std::source_location::current()) {
  return detail::remote_access::spawn({}, c, where);
}
template <class... A>
  requires(detail::is_remote_call<std::remove_cvref_t<A>> || ...)
auto async(detail::first_tag<detail::remote_request, A...> first, const A&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class R>(const remote_call<R>& c, std::same_as<std::source_location> auto... called) {
        return detail::remote_access::spawn(first.request, c, detail::called_at(first.where, called...));
      },
      rest...);
}

}  // namespace stretto

STRETTO_API_END
