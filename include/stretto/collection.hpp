// collection.hpp - collections: indexed mobile objects, distributed over the nodes of the job, under one name.
//
//     struct cell {
//       double heat = 0;
//       cell() = default;
//       explicit cell(std::size_t index) : heat(double(index)) {}
//       void warm(double by) { heat += by; }
//       double now() const { return heat; }
//     };
//     double heat_of_all() {
//       auto cells = make_collection<cell>(64);    // in blocks: elements 0 to 15 on node 0 of 4, ...
//       send(cells[7], call<&cell::warm>(0.5));    // each element is a mobile object
//       broadcast(cells, call<&cell::warm>(1.0));
//       const double all = reduce(cells, call<&cell::now>(), 0.0, std::plus<>()).get();
//       destroy(cells);
//       return all;
//     }
//
// A collection is a small value. Send it to its elements, for example, so that they can send messages to one another.
//
// Threads     Every function may be called from any thread that belongs to a runtime.
// Cost        broadcast, reduce and destroy: a send for each local element; a message to each node with other elements,
//             and its reply, once all elements there have handled theirs. operator[]: an addition.
// Invariants  (1) For each element a broadcast is a send: handled once, in the order of the messages of the caller's
//             node to it, wherever it is. (2) A reduction takes the values in the order of the indices: its result does
//             not depend on where elements are.
// Source      Chare arrays: Charm++. Ours have no proxies, no declarations of entry methods and no contributions by
//             elements: a reduction is a call.
#pragma once

#include <stretto/detail/collection_access.hpp>
#include <stretto/detail/multicast.hpp>
#include <stretto/mobile.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

/// The name of size() mobile objects of type T, valid on every node. A default-made collection is empty.
template <class T>
class collection {
 public:
  constexpr collection() noexcept = default;
  /// The number of elements.
  constexpr std::size_t size() const noexcept { return elements_; }
  /// The name of the element at this index. Throws G04 if there is none.
  mobile<T> operator[](std::size_t index) const {
    if (index >= elements_) detail::refuse_element(index, elements_);
    return detail::mobile_access::named<T>(first_ + index);
  }
  friend constexpr bool operator==(const collection&, const collection&) noexcept = default;

 private:
  friend detail::collection_access;
  std::uint64_t first_ = 0;
  std::uint64_t elements_ = 0;
};

/// The result of placed(): the distribution of elements to nodes.
template <class F>
struct placed_by {
  F of;
};
/// The tag `placed(f)` of make_collection: f(index, elements, nodes) returns the node of an element. It is called on
/// the caller's node, once for each element. Throws what copying `f` throws.
///
///     make_collection<cell>(placed([](std::size_t i, std::size_t, std::uint32_t nodes) { return i % nodes; }), 64)
template <class F>
  requires std::is_invocable_r_v<std::uint32_t, F&, std::size_t, std::size_t, std::uint32_t>
placed_by<F> placed(F of) {
  return {std::move(of)};
}

/// Creates `elements` objects T(index, arguments...) and returns the collection at once.
///
///   tags     placed(f): the node of each element; without it each node gets a block of consecutive elements, of
///            near-equal sizes. name("text"): for error messages, in which element 3 is "text[3]"
///   throws   B20; N02 if f returns a node that does not exist; what f throws. An exception of a constructor fails the
///            messages to that element, and the finish
///   cost     a message and its reply for each element
template <class T, class... A>
collection<T> make_collection(detail::located<std::size_t> elements, A&&... arguments) {
  return detail::collection_access::make<T>(elements.tag, detail::in_blocks(), {}, elements.where,
                                            std::forward<A>(arguments)...);
}
template <class T, class... A>
collection<T> make_collection(detail::located<task_name> name, std::size_t elements, A&&... arguments) {
  return detail::collection_access::make<T>(elements, detail::in_blocks(), name.tag.text, name.where,
                                            std::forward<A>(arguments)...);
}
template <class T, class F, class... A>
collection<T> make_collection(placed_by<F> where, detail::located<std::size_t> elements, A&&... arguments) {
  return detail::collection_access::make<T>(elements.tag, where.of, {}, elements.where, std::forward<A>(arguments)...);
}
template <class T, class F, class... A>
collection<T> make_collection(placed_by<F> where, detail::located<task_name> name, std::size_t elements,
                              A&&... arguments) {
  return detail::collection_access::make<T>(elements, where.of, name.tag.text, name.where,
                                            std::forward<A>(arguments)...);
}

/// Sends the same message to every element. The future is ready when all have handled it or failed. It fails with the
/// failure of the lowest index.
///
///   tags     as of send
///   throws   B20
template <class T, class Get>
future<void> broadcast(const collection<T>& to, detail::handler_call<Get> c,
                       std::source_location where = std::source_location::current()) {
  return detail::collection_access::broadcast({}, to, c, where);
}
template <class... A>
  requires(detail::is_collection<std::remove_cvref_t<A>> || ...)
future<void> broadcast(detail::first_tag<detail::send_request, A...> first, const A&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class T, class Get>(const collection<T>& to, const detail::handler_call<Get>& c,
                              std::same_as<std::source_location> auto... called) {
        return detail::collection_access::broadcast(first.request, to, c, detail::called_at(first.where, called...));
      },
      rest...);
}

/// Sends the same message to every element, and combines the results on the caller's node in the order of the indices:
/// f(... f(f(initial, result of element 0), result of element 1) ...). The future fails with the failure of the lowest
/// index.
///
///   initial   the result if there are no elements; its type is the type of the result
///   f         V(V&&, const value&), any function, because it runs on the caller's node only
///   throws    B20; an exception of `f` fails the future
///
///     reduce(cells, call<&cell::now>(), 0.0, std::plus<>())
///     reduce(cells, call<&cell::now>(), std::vector<double>(),
///            [](auto all, double one) { all.push_back(one); return all; })
template <class T, class Get, class V, class F>
  requires std::is_invocable_r_v<V, F&, V&&, typename detail::handler_of<typename Get::type>::result>
future<V> reduce(const collection<T>& of, detail::handler_call<Get> c, V initial, F f,
                 std::source_location where = std::source_location::current()) {
  return detail::collection_access::reduce({}, of, c, std::move(initial), std::move(f), where);
}
template <class... A>
  requires(detail::is_collection<std::remove_cvref_t<A>> || ...)
auto reduce(detail::first_tag<detail::send_request, A...> first, A&&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class T, class Get, class V, class F>(const collection<T>& of, const detail::handler_call<Get>& c, V initial,
                                                F f, std::same_as<std::source_location> auto... called)
        requires std::is_invocable_r_v<V, F&, V&&, typename detail::handler_of<typename Get::type>::result>
      {
        return detail::collection_access::reduce(first.request, of, c, std::move(initial), std::move(f),
                                                 detail::called_at(first.where, called...));
      },
      std::forward<A>(rest)...);
}

/// Destroys every element after the messages that this node has sent to it. The future is ready when all have ended.
/// Throws B20.
template <class T>
future<void> destroy(const collection<T>& of, std::source_location where = std::source_location::current()) {
  return detail::collection_access::destroy(of, where);
}

}  // namespace stretto

STRETTO_API_END
