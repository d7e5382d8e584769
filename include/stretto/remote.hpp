// remote.hpp - tasks on other nodes of the job: functions that every node knows, with arguments that travel.
//
//     int squared(int x) { return x * x; }
//     future<int> f = async(at_node(2), call<&squared>(7));
//     async(at_node(1), after(e), call([](const std::string& s) { std::puts(s.c_str()); }, "hello"));
//
// The request travels at once; where it has to wait for events, of whatever node, it waits there. A finish also waits
// for what was spawned inside it on other nodes, and for what that has spawned.
//
// Threads     as async.
// Memory      what happened before the call is visible to the function only if it is in its arguments.
// Cost        two messages, a third where the function leaves work behind; arguments and result are copied into them.
// Invariants  (1) a function runs once, or never if what it waits for failed or its node is lost; the future ends in
//             any case.
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

/// What an exception that happened on another node is here, unless it is a stretto::error or a plain
/// std::runtime_error: its type cannot travel, but the type's name and its words do. what() is "solver::diverged:
/// residual 3 (on N2)".
class remote_exception : public std::runtime_error {
 public:
  remote_exception(std::string type, std::string message, const std::string& text)
      : std::runtime_error(text), type_(std::move(type)), message_(std::move(message)) {}

  /// Its name there: "solver::diverged", "std::out_of_range", "int".
  const std::string& type() const noexcept { return type_; }
  /// What its what() returned there.
  const std::string& message() const noexcept { return message_; }

 private:
  std::string type_, message_;
};

/// A function and its arguments, as bytes. Made by call().
template <class R>
class remote_call {
 public:
  remote_call(const detail::remote_function_type& function, detail::parcel&& arguments) noexcept
      : function_(&function), arguments_(std::move(arguments)) {}

 private:
  friend detail::remote_access;
  const detail::remote_function_type* function_;
  detail::parcel arguments_;
};

/// What to do on another node: `f` with these arguments, which are converted to its parameters and copied.
template <auto f, class... A>
  requires(!detail::takes_object<decltype(f), sizeof...(A)>())
auto call(A&&... arguments) {
  using signature = detail::remote_signature_of<decltype(f)>;
  return remote_call<typename signature::result>(detail::remote_function<detail::named_function<f>>,
                                                 detail::written_arguments<signature>(std::forward<A>(arguments)...));
}
/// The same for a lambda that captures nothing.
template <class L, class... A>
  requires(std::is_class_v<L> && !detail::takes_object<L, sizeof...(A)>())
auto call(L, A&&... arguments) {
  static_assert(std::is_empty_v<L> && std::is_default_constructible_v<L>,
                "a lambda for another node captures nothing: what it needs are arguments");
  using signature = detail::remote_signature_of<L>;
  return remote_call<typename signature::result>(detail::remote_function<detail::lambda_function<L>>,
                                                 detail::written_arguments<signature>(std::forward<A>(arguments)...));
}

/// Runs it as a task of that node and returns the future of what it returns.
///
///   tags     any of at_node(n), without which it is this one, and those of async, in any order. Places and
///            workers are those of that node. A profile has what was measured there: workers are its workers, times are
///            put between the call and the answer as if the two messages had taken equally long
///   throws   B20; N02 if there is no such node; S02, S03 for a place or worker of this node; S04 for a priority. What
///            is wrong over there poisons the future: B40, N05 if the node is lost, N13 if it does not know the
///            function, S02, S03
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
