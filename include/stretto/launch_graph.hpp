// launch_graph.hpp - graphs of launches on objects: described once, submitted as a whole any number of times.
//
//     STRETTO_KERNEL(advance, (in<float> u, out<float> v), { v(global_id(0)) = u(global_id(0)) + 1; })
//
//     void advance_repeatedly(const object<float>& u, const object<float>& v, int pairs) {
//       launch_graph two_steps;
//       const launched first = two_steps.launch(advance, u.elements(), u, v);
//       two_steps.launch(after(first), name("second step"), advance, u.elements(), v, u);
//       for (int n = 0; n < pairs; ++n) two_steps.submit();
//     }
//
// The objects that launches read and write order the launches of a graph as if they were submitted one after another,
// in the order of their description. after(...) adds dependencies that no object shows. If both launches run on one
// device, the device itself keeps that order.
//
// Threads     launch: one thread at a time. submit: any threads of the runtime at the same time.
// Memory      a graph keeps its arguments: copies of values, handles of objects.
// Cost        submit: the cost of the single launches, with one lock for all.
// Invariants  (1) all launches of a submission come before those of the next. (2) a graph has no cycle.
// Source      whole task graphs submitted at once: the PREMA paper on heterogeneous tasking.
#pragma once

#include <stretto/object.hpp>

#include <array>
#include <cstdint>
#include <memory>

STRETTO_API_BEGIN

namespace stretto {

/// A handle of a launch of a graph, for after(). Plain data; valid in its graph only.
struct launched {
  std::uint32_t graph = 0;
  std::uint32_t index = 0;
  friend bool operator==(launched, launched) = default;
};

/// The result of after(a, b, ...) with launches of a graph.
template <std::size_t N>
struct launched_list {
  std::array<launched, N> items;  // in the order of the arguments
};
/// The result of after(range) with launches of a graph.
struct launched_range {
  std::span<const launched> items;  // valid during the call
};
/// The tag `after(a, b, ...)` or `after(range)` of a launch of a graph: it starts when these launches have ended.
template <std::same_as<launched>... L>
  requires(sizeof...(L) > 0)
launched_list<sizeof...(L)> after(const L&... l) noexcept {
  return {{l...}};
}
inline launched_range after(std::span<const launched> launches) noexcept { return {launches}; }

namespace detail {

struct launch_list;
struct graph_launch : object_launch {
  std::span<const launched> behind;

  using object_launch::apply;
  template <std::size_t N>
  void apply(const launched_list<N>& l) noexcept {
    behind = l.items;
  }
  void apply(launched_range r) noexcept { behind = r.items; }
};
template <std::size_t N>
struct subject_of<launched_list<N>> {
  using type = launched_range;
};

launched describe_launch(launch_list& graph, const kernel_code& code, const kernel_range& range,
                         std::span<const object_item> items, const graph_launch& request);

}  // namespace detail

/// Launches on objects that are described one by one and submitted as a whole, any number of times.
class launch_graph {
 public:
  /// A graph without launches. Throws std::bad_alloc only.
  launch_graph();
  launch_graph(launch_graph&&) noexcept;
  launch_graph& operator=(launch_graph&&) noexcept;
  ~launch_graph();

  /// Adds a launch on objects to the graph without running it. Arguments as of launch (object_launch.hpp).
  ///
  ///   tags     as of launch on objects. after(...) names events and futures that every submission waits for, or
  ///            launches described before
  ///   returns  the launch, for after()
  ///   throws   A08 for a launch of another graph; K24, K25. submit throws the other errors of a launch
  template <class... P, class... A>
  launched launch(const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
    return with({}, k, range, given...);
  }
  template <class... A>
  launched launch(detail::first_tag<detail::graph_launch, A...> first, const A&... rest) {
    return detail::behind_tags(
        first.request,
        [&]<class... P>(const kernel<void(P...)>& k, const detail::range_for<kernel_range> auto& range,
                        const auto&... given) {
          return with(first.request, k, detail::range_at<kernel_range>(range, first.where), given...);
        },
        rest...);
  }

  /// Submits all launches of the graph, or none if it throws.
  ///
  ///   returns  an event that triggers when all have ended; the enclosing finish counts each launch
  ///   throws   the errors of launches on objects: B20, A02, A05 to A07
  event submit(std::source_location where = std::source_location::current()) const;

  /// The number of launches in the graph.
  std::size_t size() const noexcept;

 private:
  template <class... P, class... A>
  launched with(const detail::graph_launch& request, const kernel<void(P...)>& k, const kernel_range& range,
                const A&... given) {
    static_assert(sizeof...(A) == sizeof...(P), "a launch gives as many arguments as the kernel has parameters");
    if constexpr (sizeof...(A) == sizeof...(P))
      return detail::with_object_items(
          k, std::index_sequence_for<P...>(),
          [&](std::span<const detail::object_item> items) {
            return detail::describe_launch(*list_, k.code(), range, items, request);
          },
          given...);
    else return {};
  }
  std::unique_ptr<detail::launch_list> list_;
};

}  // namespace stretto

STRETTO_API_END
