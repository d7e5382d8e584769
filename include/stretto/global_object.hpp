// global_object.hpp - global pointers to objects: one-sided put and get of elements of another node's object.
//
//     STRETTO_KERNEL(smooth, (inout<float> f), { f(global_id(0)) = (f(global_id(0)) + f(global_id(0) + 1)) / 2; })
//
//     global_object<float> offer(const object<float>& field) { return share(field); }  // for messages to other nodes
//
//     void exchange(const object<float>& mine, const global_object<float>& there, const object<float>& halo) {
//       put(mine(box(0, 100)), there(box(0, 100)),
//           call([](object<float>& f) { launch(smooth, box(0, 99), f); }));  // runs on the object's node afterwards
//       future<void> arrived = get(there(box(100, 200)), halo(box(0, 100)));
//       wait(arrived);
//     }
//
// A put overwrites elements of the object with those of an object, a tile or a span of this node; a get reads them into
// one of these. Both are ordered as launches: on the caller's node by submission, on the object's node by arrival,
// which for one caller is the order of its calls. Elements move in pieces from the device that has them to the device
// of the target. A put never waits for users of the object: elements that arrive during a use are buffered.
//
// Threads     every function from any thread that belongs to a runtime. A global_object is a name: pass it by value,
//             also to other nodes.
// Memory      the handler of a put, later launches on the object, and tasks that wait for the future see the elements.
// Cost        put: one message for up to 2 KiB of elements, otherwise a request, the elements and a reply. On the
//             object's own node: a copy.
// Invariants  (1) a put is done once, or never if its future fails. (2) puts and gets of one node take effect in the
//             order of its calls. (3) a shared object lives until unshare, and until earlier operations are done. (4)
//             two nodes that get into objects that the other one reads deadlock; one of them must put.
// Source      global pointers: split-phase assignment of Split-C, remote method invocation with put and get: PREMA.
#pragma once

#include <stretto/detail/global_transfer.hpp>
#include <stretto/detail/shared_name.hpp>
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

/// A global pointer: the name of an object, valid on every node. A default-made one is null.
template <class T, std::size_t D = 1>
class global_object {
 public:
  constexpr global_object() noexcept = default;
  /// Whether it is not null.
  constexpr bool is_valid() const noexcept { return is_.number != 0; }
  friend bool operator==(const global_object&, const global_object&) noexcept = default;

  /// The box of the object's elements.
  const box& elements() const noexcept { return elements_; }
  /// A box of the object's elements, for put and get. Checks nothing; put and get throw A05.
  global_tile<T, D> operator()(const box& part) const { return {*this, part}; }
  /// The number of the object's node in the job. Throws B20, and G07 for a null pointer or one of another job.
  std::uint32_t node(std::source_location where = std::source_location::current()) const {
    return detail::node_of(is_, where);
  }
  /// The object, on its own node. Throws G07 if it is not shared any more, G08 on other nodes, B20.
  object<T, D> local(std::source_location where = std::source_location::current()) const {
    return detail::object_access::of<T, D>(detail::shared_object(is_, where));
  }

  /// Serialises the pointer. Reading a pointer to another element type or number of axes throws B40.
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

/// A box of elements behind a global pointer: there(box(0, 100)).
template <class T, std::size_t D>
struct global_tile {
  global_object<T, D> of;  // the object
  box part;                // the elements
};

/// Makes a global pointer to an object of this node, and keeps the object until unshare. Throws B20, and A02 for an
/// empty object.
template <class T, std::size_t D>
global_object<T, D> share(const object<T, D>& o, std::source_location where = std::source_location::current()) {
  return detail::global_access::made<T, D>(detail::share_object(o.handle(), where), o.elements(where));
}
/// Ends a global pointer after the earlier operations of this node; it may be called on any node. Later operations fail
/// with G07. Remaining pointers end with their runtime. Throws B20, and G07 for a null pointer.
template <class T, std::size_t D>
future<void> unshare(const global_object<T, D>& g, std::source_location where = std::source_location::current()) {
  return detail::future_access::make<void>(
      detail::unshare_object(detail::global_access::name_of(g), detail::value_type<void>, where));
}

/// Overwrites the elements of `there` with those of `from`, and then runs the handler on that node. Returns the future
/// of the handler's result; without a handler, it is ready when the elements have arrived. After a failed put the
/// elements are unwritten, and reads of them fail with its cause.
///
///   tags     after(...): the put starts when these have ended; name("text"), priority(n): of the handler
///   from     an object, u(box), or a std::span of elements in C order that stays valid and unchanged until the future
///            is ready
///   there    a global_object, or there(box), with the same number of elements along each axis
///   handler  call(f, arguments...); f may take the object by reference as its first parameter
///   throws   B20; G07 for a null pointer; A05 for a box outside of an object, A10 for boxes of different sizes. The
///            future fails with the failure of the elements, with G07 if the object is not shared any more, with A04 if
///            memory there is too full, N05 if the node has failed, N13, B40
template <class From, class There, class H = detail::no_handler>
  requires detail::two_ends<From, There>
auto put(const From& from, const There& there, const H& handler = {},
         std::source_location where = std::source_location::current()) {
  return detail::put_with({}, from, there, handler, where);
}
template <class... A>
  requires(detail::names_global<std::remove_cvref_t<A>> || ...)
auto put(detail::first_tag<detail::transfer_request_for<A...>, A...> first, const A&... rest) {
  return detail::behind_tags(
      first.request, [&]<class From, class There, class H = detail::no_handler>(
                         const From& from, const There& there, const H& handler = {},
                         std::same_as<std::source_location> auto... called)
        requires detail::two_ends<From, There>
      { return detail::put_with(first.request, from, there, handler, detail::called_at(first.where, called...)); },
      rest...);
}

/// Overwrites the elements of `to` with those that `there` has when the request arrives, and then runs the handler on
/// this node. Tags, ends and errors as of put; a span must be valid until the future is ready. Throws B20, G07, A05,
/// A10.
///
///   handler  call(f, arguments...); f may take the target object, for a tile the whole object, as its first parameter
template <class There, class To, class H = detail::no_handler>
  requires detail::two_ends<To, There>
auto get(const There& there, const To& to, H handler = {},
         std::source_location where = std::source_location::current()) {
  return detail::get_with({}, there, to, std::move(handler), where);
}
template <class... A>
  requires(detail::names_global<std::remove_cvref_t<A>> || ...)
auto get(detail::first_tag<detail::transfer_request_for<A...>, A...> first, A&&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class There, class To, class H = detail::no_handler>(const There& there, const To& to, H handler = {},
                                                               std::same_as<std::source_location> auto... called)
        requires detail::two_ends<To, There>
      {
        return detail::get_with(first.request, there, to, std::move(handler),
                                detail::called_at(first.where, called...));
      },
      std::forward<A>(rest)...);
}

}  // namespace stretto

STRETTO_API_END
