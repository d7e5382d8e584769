// remote_function.hpp - functions that other nodes can call: their signatures, their serialised arguments, and the
// spawn of remote tasks.
#pragma once

#include <stretto/detail/task_request.hpp>
#include <stretto/detail/transferable.hpp>
#include <stretto/fields.hpp>
#include <stretto/task.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class R>
class remote_call;

namespace detail {

/// A constant of the program for each function. Its address in the program identifies the function on every node.
struct remote_function_type {
  std::uint64_t mark;     // begins every such constant
  const char* signature;  // for error messages
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

/// The number of parameters of a function, and the type of the first.
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

/// Whether a function is a handler of mobile objects (mobile.hpp): a member function, or one that takes the object
/// before this number of arguments.
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

/// Reads a value into the storage of a record. Throws B40.
using value_reader = void (*)(field_reader& from, void* storage);

struct remote_request : task_request {
  std::uint32_t node = ~0u;  // this one
  using task_request::apply;
  void apply(at_node n) noexcept { node = n.index; }
};

completion& spawn_remote(const remote_request& request, const remote_function_type& function, const parcel& arguments,
                         std::size_t value_bytes, const task_type& type, value_reader read,
                         const std::source_location& where);
/// Converts the arguments to the parameter types and serialises them. A call that is used twice reads them twice.
template <class Signature, class... A>
parcel written_arguments(A&&... arguments) {
  const typename Signature::arguments all(std::forward<A>(arguments)...);
  parcel written{.bytes = {}, .may_be_read_twice = true};
  write_parcel(written, all);
  return written;
}

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
}  // namespace stretto

STRETTO_API_END
