// global_object.hpp - global pointers: names of objects by which other nodes put elements there, and get them from
// there.
//
//     object<float> field(box(0, n));                       // on node 1, anywhere in its memories
//     global_object<float> there = share(field);            // a value, for arguments of messages
//
//     // On node 0:
//     put(mine, there(box(0, 100)), call([](object<float>& f, int step) { launch(smooth, inside, f, step); }, 7));
//     future<void> come = get(there(box(100, 200)), halo);
//
// A put overwrites elements of the object with those of an object, a tile or a span of this node; a get reads them into
// such. Both are launches as to their order: on the caller's node in the order of submission, where the object is in
// the order of arrival, which for one node is that in which it has asked. Elements go to where they are wanted: from
// the device where the content is to that on which the object lies, in pieces. A sender never waits for what others do
// with the object: what comes while it is used is kept beside it.
//
// Threads     every function from any thread that belongs to a runtime; a global_object is a name, passed by value,
//             also to other nodes.
// Memory      what was put is seen by the handler, by launches that follow there, and by who waits for the future.
// Cost        put: one message with up to 2 KiB of content, else a request, the elements and an answer. A near one: a
//             copy.
// Invariants  (1) a put is done once, or never if its future says why. (2) puts and gets of one node are done in the
//             order in which it asked for them. (3) a shared object lasts until unshare, and until what came before
//             that is done. (4) gets of two nodes into what the other one reads wait for one another for ever, as two
//             launches would: one of them has to put.
// Source      global pointers: split-phase assignment of Split-C, remote method invocation with put and get: PREMA.
#pragma once

#include <stretto/mobile.hpp>
#include <stretto/object.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class T, std::size_t D>
struct global_tile;

namespace detail {

/// Which of the objects that a node has shared.
struct shared_name {
  std::uint64_t number = 0;  // from 1
  std::uint16_t node = 0;
  friend constexpr auto operator<=>(const shared_name&, const shared_name&) noexcept = default;
};
shared_name share_object(const object_handle& h, const std::source_location& where);
completion& unshare_object(const shared_name& of, const task_type& type, const std::source_location& where);
/// Throws G07, G08.
object_handle shared_object(const shared_name& is, const std::source_location& where);
/// Of this node, for a handler.
object_handle shared_object(std::uint64_t number);
/// Throws G07 for what names nothing.
std::uint32_t node_of(const shared_name& is, const std::source_location& where);

struct global_access;

}  // namespace detail

/// The name of an object, on every node; the default one names none.
template <class T, std::size_t D = 1>
class global_object {
 public:
  constexpr global_object() noexcept = default;
  constexpr bool is_valid() const noexcept { return is_.number != 0; }
  friend bool operator==(const global_object&, const global_object&) noexcept = default;

  /// Those that the object has.
  const box& elements() const noexcept { return elements_; }
  global_tile<T, D> operator()(const box& part) const { return {*this, part}; }
  /// Of the job, where the object is. Throws G07.
  std::uint32_t node(std::source_location where = std::source_location::current()) const {
    return detail::node_of(is_, where);
  }
  /// The object, on its node. Throws G07 if it is not shared any more, G08 elsewhere.
  object<T, D> local(std::source_location where = std::source_location::current()) const {
    return detail::object_access::of<T, D>(detail::shared_object(is_, where));
  }

  /// A part of messages and of what moves. Reading one to other elements throws B40.
  template <class Archive>
  friend void fields(Archive& a, archived<global_object, Archive>& g) {
    std::uint64_t kind = shape_of_elements;
    a(kind, g.is_.number, g.is_.node, g.elements_);
    if constexpr (Archive::is_reading)
      if (kind != shape_of_elements)
        detail::refuse_fields("a global pointer to elements of so many bytes", kind >> 8, sizeof(T));
  }

 private:
  friend detail::global_access;
  static constexpr std::uint64_t shape_of_elements = std::uint64_t{sizeof(T)} << 8 | D;
  detail::shared_name is_;
  box elements_;
};

/// A box of an object's elements: there(box(0, 100)).
template <class T, std::size_t D>
struct global_tile {
  global_object<T, D> of;
  box part;
};

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

/// Where elements of this node are that go to others, or come.
struct near_end {
  const object_handle* object = nullptr;
  box part = {};               // of the object
  std::byte* bytes = nullptr;  // or here, dense in C order,
  std::uint64_t count = 0;     // so many
};
/// And of another.
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

/// A near end and a far one of the same elements.
template <class Near, class Far>
concept two_ends = requires { far_end_of<Far>::dimensions; } &&
                   near_end_of<Near>::template is_like<typename far_end_of<Far>::element, far_end_of<Far>::dimensions>;

struct no_handler {};
/// What runs where elements have been put.
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

/// How the answer of a handler becomes a value here.
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
/// The event of their being there.
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
/// Of a put or a get whose handler is an H.
template <class H, class... Tag>
send_request tagged(const Tag&... tag) {
  static_assert(!std::same_as<H, no_handler> || !(std::same_as<Tag, task_priority> || ...),
                "without a handler a put or a get runs nothing that could have a priority");
  return request_of<send_request>(tag...);
}

}  // namespace detail

/// Gives an object of this node a name for all nodes, by which it is kept until unshare. Throws A02.
template <class T, std::size_t D>
global_object<T, D> share(const object<T, D>& o, std::source_location where = std::source_location::current()) {
  return detail::global_access::made<T, D>(detail::share_object(o.handle(), where), o.elements(where));
}
/// Ends the name, on any node, after what this node has asked for before; what comes later fails with G07. Names that
/// are not ended end with their runtime. Throws G07 for what names nothing.
template <class T, std::size_t D>
future<void> unshare(const global_object<T, D>& g, std::source_location where = std::source_location::current()) {
  return detail::future_access::make<void>(
      detail::unshare_object(detail::global_access::name_of(g), detail::value_type<void>, where));
}

/// Overwrites the elements of `there` with those of `from`, and then runs the handler on that node. Returns the future
/// of what it returns; without a handler, of their being there. A put that fails leaves the elements without content,
/// and its cause to who reads them.
///
///   tags     after(...): it is done when that has ended; name("text"), priority(n): of the handler
///   from     an object, u(box), or a std::span of elements in C order, which stay as they are until the future is
///            ready
///   there    a global_object, or there(box); as many elements along each axis
///   handler  call(f, arguments...), where f takes the object by reference first, or does not
///   throws   B20; G07 if `there` names no object; A05, A10 for boxes. The future fails with what the content fails
///            with, with G07 if the object is not shared any more, with A04 if there is no room, N05 if the node is
///            lost, N13, B40
///
///     put(after(computed), edge, there(box(0, 8)), call([](object<float>& f) { launch(smooth, f.elements(), f); }));
template <class From, class There, class H = detail::no_handler>
  requires detail::two_ends<From, There>
auto put(const From& from, const There& there, const H& handler = {},
         std::source_location where = std::source_location::current()) {
  return detail::put_with({}, from, there, handler, where);
}
template <detail::send_tag T1, class From, class There, class H = detail::no_handler>
  requires detail::two_ends<From, There>
auto put(const T1& t1, const From& from, const There& there, const H& handler = {},
         std::source_location where = std::source_location::current()) {
  return detail::put_with(detail::tagged<H>(t1), from, there, handler, where);
}
template <detail::send_tag T1, detail::send_tag T2, class From, class There, class H = detail::no_handler>
  requires detail::two_ends<From, There>
auto put(const T1& t1, const T2& t2, const From& from, const There& there, const H& handler = {},
         std::source_location where = std::source_location::current()) {
  return detail::put_with(detail::tagged<H>(t1, t2), from, there, handler, where);
}
template <detail::send_tag T1, detail::send_tag T2, detail::send_tag T3, class From, class There,
          class H = detail::no_handler>
  requires detail::two_ends<From, There>
auto put(const T1& t1, const T2& t2, const T3& t3, const From& from, const There& there, const H& handler = {},
         std::source_location where = std::source_location::current()) {
  return detail::put_with(detail::tagged<H>(t1, t2, t3), from, there, handler, where);
}

/// Overwrites the elements of `to` with those of `there`, as they are when the request comes there, and then runs the
/// handler here. Tags, ends and failures as of put; a span must last until the future is ready.
///
///   handler  call(f, arguments...), where f takes the object first to which they have come: of a tile, the whole
template <class There, class To, class H = detail::no_handler>
  requires detail::two_ends<To, There>
auto get(const There& there, const To& to, H handler = {},
         std::source_location where = std::source_location::current()) {
  return detail::get_with({}, there, to, std::move(handler), where);
}
template <detail::send_tag T1, class There, class To, class H = detail::no_handler>
  requires detail::two_ends<To, There>
auto get(const T1& t1, const There& there, const To& to, H handler = {},
         std::source_location where = std::source_location::current()) {
  return detail::get_with(detail::tagged<H>(t1), there, to, std::move(handler), where);
}
template <detail::send_tag T1, detail::send_tag T2, class There, class To, class H = detail::no_handler>
  requires detail::two_ends<To, There>
auto get(const T1& t1, const T2& t2, const There& there, const To& to, H handler = {},
         std::source_location where = std::source_location::current()) {
  return detail::get_with(detail::tagged<H>(t1, t2), there, to, std::move(handler), where);
}
template <detail::send_tag T1, detail::send_tag T2, detail::send_tag T3, class There, class To,
          class H = detail::no_handler>
  requires detail::two_ends<To, There>
auto get(const T1& t1, const T2& t2, const T3& t3, const There& there, const To& to, H handler = {},
         std::source_location where = std::source_location::current()) {
  return detail::get_with(detail::tagged<H>(t1, t2, t3), there, to, std::move(handler), where);
}

}  // namespace stretto

STRETTO_API_END
