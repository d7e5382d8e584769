// collection_access.hpp - the implementation of collections: creation, and messages to all elements.
#pragma once

#include <stretto/detail/mobile_access.hpp>
#include <stretto/detail/multicast.hpp>
#include <stretto/fields.hpp>
#include <stretto/mobile.hpp>

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

template <class T>
class collection;

namespace detail {

[[noreturn]] void refuse_element(std::size_t index, std::size_t elements);
/// Reserves this number of consecutive ids and returns the first.
std::uint64_t reserve_objects(std::size_t count);
void make_reserved_object(std::uint64_t id, const make_request& request, const message_type& maker, parcel&& arguments);
std::uint32_t nodes_for_objects();
[[noreturn]] void refuse_node(std::uint32_t node, const std::source_location& where);

/// The default distribution: blocks of consecutive elements of near-equal sizes.
struct in_blocks {
  std::uint32_t operator()(std::size_t index, std::size_t elements, std::uint32_t nodes) const noexcept {
    return static_cast<std::uint32_t>(index * nodes / elements);
  }
};

template <class C>
inline constexpr bool is_collection = false;
template <class T>
inline constexpr bool is_collection<collection<T>> = true;

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
  template <class T, class Get>
  static future<void> broadcast(const task_request& request, const collection<T>& to, const handler_call<Get>& c,
                                const std::source_location& where) {
    using Body = broadcast_call<T, Get>;
    return start_broadcast<Body, void>(sizeof(Body), broadcast_task<Body>, where, request, to.first_, to.elements_, c);
  }
  template <class T, class Get, class V, class F>
  static future<V> reduce(const task_request& request, const collection<T>& of, const handler_call<Get>& c, V&& initial,
                          F&& f, const std::source_location& where) {
    using Body = broadcast_fold<T, Get, V, F>;
    return start_broadcast<Body, V>(Body::bytes(), Body::task, where, request, of.first_, of.elements_, c,
                                    std::move(initial), std::move(f));
  }
  template <class T>
  static future<void> destroy(const collection<T>& of, const std::source_location& where) {
    using Body = broadcast_destroy;
    return start_broadcast<Body, void>(sizeof(Body), broadcast_task<Body>, where, {}, of.first_, of.elements_);
  }
};

}  // namespace detail
}  // namespace stretto

STRETTO_API_END
