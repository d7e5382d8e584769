// collection.hpp - many mobile objects under one name: elements with an index, spread over the nodes of the job.
//
//     struct cell {
//       double heat = 0;
//       cell() = default;
//       explicit cell(std::size_t i) : heat(double(i)) {}     // its index, then what make_collection was given
//       void warm(double by) { heat += by; }
//       double now() const { return heat; }
//     };
//     auto cells = make_collection<cell>(64);                  // neighbours together: elements 0 to 15 on node 0 of 4, ...
//     send(cells[7], call<&cell::warm>(0.5));                  // an element is a mobile object
//     broadcast(cells, call<&cell::warm>(1.0));
//     future<double> all = reduce(cells, call<&cell::now>(), 0.0, std::plus<>());
//     migrate(cells[7], at_node(3));
//     destroy(cells);
//
// A collection is a small value, which can be sent to any node: also to its own elements, which know one another only so.
//
// Threads     every function from any thread that belongs to a runtime.
// Cost        broadcast, reduce and destroy: near elements as a send each; of the others a message for each node that has some, and its
//             answer, once all of them there have handled theirs. operator[]: an addition.
// Invariants  (1) to each element a broadcast is a send: handled once, in the order of what the caller's node sends to it, wherever it is.
//             (2) reductions take the values in the order of the indices: what they return does not depend on where elements are.
// Source      chare arrays: Charm++. Ours have no proxies, no declarations of entry methods and no contributions by elements: who wants a
//             sum asks for it.
#pragma once

#include <stretto/mobile.hpp>
#include <stretto/multicast.hpp>

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {
struct collection_access;
[[noreturn]] void refuse_element(std::size_t index, std::size_t elements);
/// Names of so many objects to come, in a row; returns the first.
std::uint64_t reserve_objects(std::size_t count);
void make_reserved_object(std::uint64_t id, const make_request& request, const message_type& maker, parcel&& arguments);
std::uint32_t nodes_for_objects();
[[noreturn]] void refuse_node(std::uint32_t node, const std::source_location& where);
}  // namespace detail

/// The names of `size()` objects of type T, on every node. The default one has none.
template <class T>
class collection {
 public:
  constexpr collection() noexcept = default;
  constexpr std::size_t size() const noexcept { return elements_; }
  /// Throws G04 if there is no such element.
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

/// Where elements begin: `of(index, elements, nodes)` is a node. Made by placed().
template <class F>
struct placed_by {
  F of;
};
/// A tag of make_collection. The function is called on the caller's node, once for each element.
///
///     make_collection<cell>(placed([](std::size_t i, std::size_t, std::uint32_t nodes) { return i % nodes; }), 64)
template <class F>
  requires std::is_invocable_r_v<std::uint32_t, F&, std::size_t, std::size_t, std::uint32_t>
placed_by<F> placed(F of) {
  return {std::move(of)};
}

namespace detail {

/// Neighbours together, about as many on each node.
struct in_blocks {
  std::uint32_t operator()(std::size_t index, std::size_t elements, std::uint32_t nodes) const noexcept {
    return static_cast<std::uint32_t>(index * nodes / elements);
  }
};

struct collection_access {
  template <class T, class F, class... A>
  static collection<T> make(std::size_t elements, F&& node_of, std::string_view name, const std::source_location& where,
                            A&&... arguments) {
    static_assert(std::is_constructible_v<T, std::size_t, A...>,
                  "an element of this collection cannot be made of its index, a std::size_t, and these arguments");
    static_assert((transferable<travelling<A>> && ...),
                  "an argument for the elements cannot travel: it is a pointer or a view, or a type that needs a "
                  "function fields()");
    static_assert((explain_travel<travelling<A>>() && ...));
    const std::uint32_t nodes = nodes_for_objects();
    std::vector<std::uint32_t> places(elements);
    for (std::size_t i = 0; i < elements; ++i) {
      places[i] = static_cast<std::uint32_t>(node_of(i, elements, nodes));
      if (places[i] >= nodes) refuse_node(places[i], where);
    }
    std::tuple<std::uint64_t, travelling<A>...> all(0, std::forward<A>(arguments)...);
    collection<T> made;
    made.first_ = reserve_objects(elements);
    made.elements_ = elements;
    std::string of_element;
    for (std::size_t i = 0; i < elements; ++i) {
      std::get<0>(all) = i;
      if (!name.empty()) of_element = std::string(name) + '[' + std::to_string(i) + ']';
      parcel its{.bytes = {}, .are_values_kept = true};
      write_parcel(its, all);
      make_reserved_object(made.first_ + i, {places[i], of_element, where},
                           maker<T, std::uint64_t, travelling<A>...>::type, std::move(its));
    }
    return made;
  }
  template <class T, class Get, class... Tag>
  static future<void> broadcast(const collection<T>& to, const handler_call<Get>& c, const std::source_location& where,
                                const Tag&... tag) {
    using Body = broadcast_call<T, Get>;
    return start_broadcast<Body, void>(sizeof(Body), broadcast_task<Body>, where, std::tie(tag...), to.first_,
                                       to.elements_, c);
  }
  template <class T, class Get, class V, class F, class... Tag>
  static future<V> reduce(const collection<T>& of, const handler_call<Get>& c, V&& initial, F&& f,
                          const std::source_location& where, const Tag&... tag) {
    using Body = broadcast_fold<T, Get, V, F>;
    return start_broadcast<Body, V>(Body::bytes(), Body::task, where, std::tie(tag...), of.first_, of.elements_, c,
                                    std::move(initial), std::move(f));
  }
  template <class T>
  static future<void> destroy(const collection<T>& of, const std::source_location& where) {
    using Body = broadcast_destroy;
    return start_broadcast<Body, void>(sizeof(Body), broadcast_task<Body>, where, std::tuple<>(), of.first_,
                                       of.elements_);
  }
};

}  // namespace detail

/// Makes `elements` objects T(index, arguments...), and returns the collection at once.
///
///   tags     placed(f): on which nodes; without it neighbours together, as many on each node. name("text"): for messages, where
///            element 3 is "text[3]"
///   throws   N02 if the function names a node that there is not; what it throws. What a constructor throws is the failure of what is
///            sent to that element, and of the finish
///   cost     a message and its answer for each element
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

/// Sends the same to every element. The future is ready when all have handled it, or failed; its failure is the one of the lowest index,
/// for all of them.
///
///   tags     as of send
template <class T, class Get>
future<void> broadcast(const collection<T>& to, detail::handler_call<Get> c,
                       std::source_location where = std::source_location::current()) {
  return detail::collection_access::broadcast(to, c, where);
}
template <detail::send_tag T1, class T, class Get>
future<void> broadcast(const T1& t1, const collection<T>& to, detail::handler_call<Get> c,
                       std::source_location where = std::source_location::current()) {
  return detail::collection_access::broadcast(to, c, where, t1);
}
template <detail::send_tag T1, detail::send_tag T2, class T, class Get>
future<void> broadcast(const T1& t1, const T2& t2, const collection<T>& to, detail::handler_call<Get> c,
                       std::source_location where = std::source_location::current()) {
  return detail::collection_access::broadcast(to, c, where, t1, t2);
}

/// Sends the same to every element, and folds what they return: f(... f(f(initial, value of element 0), value of element 1) ...), on the
/// caller's node. The failure of the lowest index is that of the future.
///
///   initial   what the future holds if there are no elements; its type is the result's
///   f         V(V&&, const value&), any function: it does not travel
///
///     reduce(cells, call<&cell::now>(), 0.0, std::plus<>())
///     reduce(cells, call<&cell::now>(), std::vector<double>(), [](auto all, double one) { all.push_back(one); return all; })
template <class T, class Get, class V, class F>
  requires std::is_invocable_r_v<V, F&, V&&, typename detail::handler_of<typename Get::type>::result>
future<V> reduce(const collection<T>& of, detail::handler_call<Get> c, V initial, F f,
                 std::source_location where = std::source_location::current()) {
  return detail::collection_access::reduce(of, c, std::move(initial), std::move(f), where);
}
template <detail::send_tag T1, class T, class Get, class V, class F>
  requires std::is_invocable_r_v<V, F&, V&&, typename detail::handler_of<typename Get::type>::result>
future<V> reduce(const T1& t1, const collection<T>& of, detail::handler_call<Get> c, V initial, F f,
                 std::source_location where = std::source_location::current()) {
  return detail::collection_access::reduce(of, c, std::move(initial), std::move(f), where, t1);
}

/// Destroys every element after what this node has sent to it before. The future is ready when all have ended.
template <class T>
future<void> destroy(const collection<T>& of, std::source_location where = std::source_location::current()) {
  return detail::collection_access::destroy(of, where);
}

}  // namespace stretto

STRETTO_API_END
