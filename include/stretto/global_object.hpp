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
