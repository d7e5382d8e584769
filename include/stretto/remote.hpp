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

namespace detail {

/// A constant of the program: where it lies says on every node which function is meant.
struct remote_function_type {
  std::uint64_t mark;     // of what such a constant begins with
  const char* signature;  // for messages
  void (*run)(field_reader& arguments, field_writer& result);
};
inline constexpr std::uint64_t remote_function_mark = 0x5f72746f6e6f6566;

template <class R, class... A>
struct remote_signature {
  using result = R;
  using arguments = std::tuple<std::decay_t<A>...>;
  static_assert((transferable<std::decay_t<A>> && ...),
                "a parameter of this function cannot travel: it is a pointer or a view, or a type that needs a "
                "function fields()");
  static_assert((explain_travel<std::decay_t<A>>() && ...));
  static_assert(
      std::is_void_v<R> || transferable<std::decay_t<R>>,
      "what this function returns cannot travel: it is a pointer or a view, or a type that needs a function fields()");
  static_assert(explain_travel<std::conditional_t<std::is_void_v<R>, int, std::decay_t<R>>>());
  static_assert(!std::is_reference_v<R>, "a function for other nodes returns a value or void");
  static_assert(
      ((!std::is_lvalue_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>) && ...),
      "a function for other nodes cannot change its caller's arguments: take them by value or const reference");
};
template <class F>
struct remote_signature_of : remote_signature_of<decltype(&F::operator())> {};
template <class R, class... A>
struct remote_signature_of<R (*)(A...)> : remote_signature<R, A...> {};
template <class R, class... A>
struct remote_signature_of<R (*)(A...) noexcept> : remote_signature<R, A...> {};
template <class L, class R, class... A>
struct remote_signature_of<R (L::*)(A...) const> : remote_signature<R, A...> {};
template <class L, class R, class... A>
struct remote_signature_of<R (L::*)(A...) const noexcept> : remote_signature<R, A...> {};

/// How many parameters a function has, and its first.
template <class... A>
struct parameter_list {
  static constexpr std::size_t count = 0;
  using first = void;
};
template <class First, class... A>
struct parameter_list<First, A...> {
  static constexpr std::size_t count = 1 + sizeof...(A);
  using first = First;
};
template <class F>
struct parameters_of : parameters_of<decltype(&F::operator())> {};
template <class R, class... A>
struct parameters_of<R (*)(A...)> : parameter_list<A...> {};
template <class R, class... A>
struct parameters_of<R (*)(A...) noexcept> : parameter_list<A...> {};
template <class L, class R, class... A>
struct parameters_of<R (L::*)(A...) const> : parameter_list<A...> {};
template <class L, class R, class... A>
struct parameters_of<R (L::*)(A...) const noexcept> : parameter_list<A...> {};

/// A handler of mobile objects (mobile.hpp): a member function, or what takes the object before so many arguments.
template <class F, std::size_t arguments>
consteval bool takes_object() {
  if constexpr (std::is_member_function_pointer_v<F>) return true;
  else
    return parameters_of<F>::count == arguments + 1 && std::is_lvalue_reference_v<typename parameters_of<F>::first> &&
           std::is_class_v<std::remove_cvref_t<typename parameters_of<F>::first>>;
}

template <class Get>
void run_remote(field_reader& in, field_writer& out) {
  using signature = remote_signature_of<typename Get::type>;
  typename signature::arguments arguments;
  in(arguments);
  if constexpr (std::is_void_v<typename signature::result>) {
    std::apply(Get::get(), std::move(arguments));
  } else {
    const auto value = std::apply(Get::get(), std::move(arguments));
    out(value);
  }
}
template <auto f>
struct named_function {
  using type = decltype(f);
  static constexpr auto get() { return f; }
  static constexpr const char* signature() { return __PRETTY_FUNCTION__; }
};
template <class L>
struct lambda_function {
  using type = L;
  static constexpr auto get() { return L(); }
  static constexpr const char* signature() { return __PRETTY_FUNCTION__; }
};
template <class Get>
inline constexpr remote_function_type remote_function{remote_function_mark, Get::signature(), run_remote<Get>};

/// Puts the value into the storage of a record; throws B40.
using value_reader = void (*)(field_reader& from, void* storage);

struct remote_request : task_request {
  std::uint32_t node = ~0u;  // this one
  using task_request::apply;
  void apply(at_node n) noexcept { node = n.index; }
};

completion& spawn_remote(const remote_request& request, const remote_function_type& function, const parcel& arguments,
                         std::size_t value_bytes, const task_type& type, value_reader read,
                         const std::source_location& where);
struct remote_access;

/// Converted to the parameters, and written. What is called twice reads them twice.
template <class Signature, class... A>
parcel written_arguments(A&&... arguments) {
  const typename Signature::arguments all(std::forward<A>(arguments)...);
  parcel written{.bytes = {}, .may_be_read_twice = true};
  write_parcel(written, all);
  return written;
}

}  // namespace detail

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

namespace detail {
template <class C>
inline constexpr bool is_remote_call = false;
template <class R>
inline constexpr bool is_remote_call<remote_call<R>> = true;

struct remote_access {
  template <class R>
  static const remote_function_type& function_of(const remote_call<R>& c) noexcept {
    return *c.function_;
  }
  template <class R>
  static const parcel& arguments_of(const remote_call<R>& c) noexcept {
    return c.arguments_;
  }
  template <class R>
  static future<R> spawn(const remote_request& request, const remote_call<R>& c, const std::source_location& where) {
    value_reader read = nullptr;
    if constexpr (!std::is_void_v<R>)
      read = +[](field_reader& from, void* storage) {
        R value{};
        from(value);
        ::new (storage) R(std::move(value));
      };
    return future_access::make<R>(
        spawn_remote(request, *c.function_, c.arguments_, value_bytes<R>, value_type<R>, read, where));
  }
};
}  // namespace detail

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
      [&]<class R>(const remote_call<R>& c, std::same_as<std::source_location> auto... said) {
        return detail::remote_access::spawn(first.request, c, detail::called_at(first.where, said...));
      },
      rest...);
}

}  // namespace stretto

STRETTO_API_END
