// global_transfer.hpp - the implementation of put and get: their two ends, and the call of the handler.
#pragma once

#include <stretto/detail/mobile_access.hpp>
#include <stretto/detail/shared_name.hpp>
#include <stretto/fields.hpp>
#include <stretto/object.hpp>
#include <stretto/remote.hpp>
#include <stretto/task.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class T, std::size_t D>
class global_object;
template <class T, std::size_t D>
struct global_tile;

namespace detail {

struct global_access {
  template <class T, std::size_t D>
  static global_object<T, D> made(const shared_name& is, const box& elements) noexcept {
    global_object<T, D> g;
    g.is_ = is, g.elements_ = elements;
    return g;
  }
  template <class T, std::size_t D>
  static const shared_name& name_of(const global_object<T, D>& g) noexcept {
    return g.is_;
  }
};

/// The local end of a put or get: elements of an object, or in host memory.
struct near_end {
  const object_handle* object = nullptr;
  box part = {};               // of the object
  std::byte* bytes = nullptr;  // in host memory, dense in C order
  std::uint64_t count = 0;     // the number of elements there
};
/// The remote end of a put or get.
struct far_end {
  shared_name is;
  box whole, part;
  std::uint8_t dimensions = 1;
  std::uint32_t element_bytes = 1;
};

template <class E>
struct near_end_of;
template <class T, std::size_t D>
struct near_end_of<object<T, D>> {
  template <class U, std::size_t E>
  static constexpr bool is_like = std::same_as<T, U> && D == E;
  static constexpr bool can_be_written = true;
  static near_end is(const object<T, D>& o, const std::source_location& where) {
    return {.object = &o.handle(), .part = o.elements(where)};
  }
  static const object<T, D>& object_of(const object<T, D>& o) { return o; }
};
template <class T, std::size_t D>
struct near_end_of<tile<T, D>> {
  template <class U, std::size_t E>
  static constexpr bool is_like = std::same_as<T, U> && D == E;
  static constexpr bool can_be_written = true;
  static near_end is(const tile<T, D>& t, const std::source_location&) {
    return {.object = &t.of.handle(), .part = t.part};
  }
  static const object<T, D>& object_of(const tile<T, D>& t) { return t.of; }
};
template <class T>
struct near_end_of<std::span<T>> {
  template <class U, std::size_t>
  static constexpr bool is_like = std::same_as<std::remove_const_t<T>, U>;
  static constexpr bool can_be_written = !std::is_const_v<T>;
  static near_end is(const std::span<T>& s, const std::source_location&) {
    return {.bytes = reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(s.data())), .count = s.size()};
  }
};

template <class G>
struct far_end_of;
template <class T, std::size_t D>
struct far_end_of<global_object<T, D>> {
  using object = stretto::object<T, D>;
  using element = T;
  static constexpr std::size_t dimensions = D;
  static far_end is(const global_object<T, D>& g) {
    return {global_access::name_of(g), g.elements(), g.elements(), static_cast<std::uint8_t>(D), sizeof(T)};
  }
};
template <class T, std::size_t D>
struct far_end_of<global_tile<T, D>> : far_end_of<global_object<T, D>> {
  static far_end is(const global_tile<T, D>& t) {
    far_end e = far_end_of<global_object<T, D>>::is(t.of);
    e.part = t.part;
    return e;
  }
};

/// A local and a remote end with the same element type and number of axes.
template <class Near, class Far>
concept two_ends = requires { far_end_of<Far>::dimensions; } &&
                   near_end_of<Near>::template is_like<typename far_end_of<Far>::element, far_end_of<Far>::dimensions>;

struct no_handler {};
/// The handler of a put, which runs on the object's node.
template <class H, class Object>
struct handler_there {
  static_assert(std::same_as<H, no_handler>, "a handler of put or get is made by call(f, arguments...)");
  using result = void;
  static const remote_function_type* function(const H&) noexcept { return nullptr; }
  static parcel arguments(const H&, std::uint64_t) { return {}; }
};
template <class R, class Object>
struct handler_there<remote_call<R>, Object> {
  using result = R;
  static const remote_function_type* function(const remote_call<R>& c) noexcept {
    return &remote_access::function_of(c);
  }
  static parcel arguments(const remote_call<R>& c, std::uint64_t) { return remote_access::arguments_of(c); }
};
template <class Get, class Object>
struct handler_there<handler_call<Get>, Object> {
  using signature = handler_of<typename Get::type>;
  using result = typename signature::result;
  static constexpr auto get() { return Get::get(); }
  static_assert(std::same_as<Object, typename signature::object>,
                "the handler of a put takes the object first: of the element type and the number of axes that the "
                "global pointer has");

  static void run(field_reader& in, field_writer& out) {
    std::uint64_t number = 0;
    typename signature::arguments all;
    in(number, all);
    auto is = object_access::of<typename Object::element_type, Object::dimensions>(shared_object(number));
    const auto called = [&is](auto&... a) -> result { return std::invoke(Get::get(), is, std::move(a)...); };
    if constexpr (std::is_void_v<result>) {
      std::apply(called, all);
    } else {
      const result value = std::apply(called, all);
      out(value);
    }
  }
  static constexpr remote_function_type type{remote_function_mark, Get::signature(), run};
  static const remote_function_type* function(const handler_call<Get>&) noexcept { return &type; }
  static parcel arguments(const handler_call<Get>& c, std::uint64_t number) {
    parcel written{.bytes = {}, .may_be_read_twice = true};
    write_parcel(written, number, c.arguments);
    return written;
  }
};

/// Converts the reply of a handler to a value on this node.
struct answer_type {
  std::size_t bytes = 0;
  const task_type* type = nullptr;
  value_reader read = nullptr;
};
template <class R>
answer_type answer_of() {
  if constexpr (std::is_void_v<R>) return {value_bytes<R>, &value_type<R>, nullptr};
  else
    return {value_bytes<R>, &value_type<R>, +[](field_reader& from, void* storage) {
              R value{};
              from(value);
              ::new (storage) R(std::move(value));
            }};
}

completion& put_elements(const send_request& request, const near_end& from, const far_end& to,
                         const remote_function_type* function, parcel&& arguments, const answer_type& answer,
                         const std::source_location& where);
/// Returns an event that triggers when the elements have arrived.
event get_elements(const send_request& request, const far_end& from, const near_end& to,
                   const std::source_location& where);

template <class From, class There, class H>
auto put_with(const send_request& request, const From& from, const There& there, const H& handler,
              const std::source_location& where) {
  using end = far_end_of<There>;
  using called = handler_there<H, typename end::object>;
  const far_end to = end::is(there);
  const answer_type answer = answer_of<typename called::result>();
  completion& record = put_elements(request, near_end_of<From>::is(from, where), to, called::function(handler),
                                    called::arguments(handler, to.is.number), answer, where);
  return future_access::make<typename called::result>(record);
}

template <class There, class To, class H>
auto get_with(const send_request& request, const There& there, const To& to, H&& handler,
              const std::source_location& where) {
  static_assert(near_end_of<To>::can_be_written, "elements that come cannot be written into a span of const");
  const event there_now = get_elements(request, far_end_of<There>::is(there), near_end_of<To>::is(to, where), where);
  task_request then;
  then.after_events = std::span(&there_now, 1);
  then.name = request.name;
  then.priority = request.priority;
  if constexpr (std::same_as<std::remove_cvref_t<H>, no_handler>) {
    return spawn_as(then, goes_on{[] {}}, where);
  } else {
    using Object = typename far_end_of<There>::object;
    using called = handler_there<std::remove_cvref_t<H>, Object>;
    using result = typename called::result;
    static_assert(
        requires { near_end_of<To>::object_of(to); }, "the handler of a get takes the object into which it has come");
    field_separator()(std::as_const(handler.arguments));
    auto then_call = [into = near_end_of<To>::object_of(to), all = std::move(handler.arguments)]() mutable -> result {
      return std::apply([&](auto&... a) -> result { return std::invoke(called::get(), into, std::move(a)...); }, all);
    };
    return spawn_as(then, goes_on{std::move(then_call)}, where);
  }
}
template <class A>
concept names_global = requires { far_end_of<A>::dimensions; };
template <class A>
inline constexpr bool is_handler = false;
template <class R>
inline constexpr bool is_handler<remote_call<R>> = true;
template <class Get>
inline constexpr bool is_handler<handler_call<Get>> = true;
/// The tags of a put or a get.
template <bool HasHandler>
struct transfer_request : send_request {
  template <send_tag Tag>
  void apply(const Tag& tag) noexcept {
    static_assert(HasHandler || !std::same_as<Tag, task_priority>,
                  "without a handler a put or a get runs nothing that could have a priority");
    send_request::apply(tag);
  }
};
template <class... A>
using transfer_request_for = transfer_request<(is_handler<std::remove_cvref_t<A>> || ...)>;

}  // namespace detail

}  // namespace stretto

STRETTO_API_END
