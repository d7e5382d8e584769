// launch_graph.hpp - launches on objects that are known beforehand: described one by one, submitted as a whole, as
// often as wanted.
//
//     launch_graph step;
//     const launched packed = step.launch(pack, border, u, message);
//     step.launch(after(packed), name("inner"), jacobi, inside, u, v, 0.25f);
//     for (int n = 0; n < steps; ++n) step.submit();
//
// What launches of a graph read and write orders them as if they had been submitted one after the other, in the order
// in which they were described; after(...) says what no argument says, and is kept on the devices themselves where both
// run on one.
//
// Threads     one at a time for launch; submit: any thread of the runtime, also several at a time.
// Memory      arguments are kept: values as they were, objects as handles.
// Cost        submit: as the launches one by one, but one lock for all.
// Invariants  (1) all launches of a submission come before those of the next. (2) a graph has no cycle.
// Source      whole task graphs submitted at once: the PREMA paper on heterogeneous tasking.
#pragma once

#include <stretto/object.hpp>

#include <array>
#include <cstdint>
#include <memory>

STRETTO_API_BEGIN

namespace stretto {

/// A launch of a graph, for after(). Plain data; means nothing to another graph.
struct launched {
  std::uint32_t graph = 0;
  std::uint32_t index = 0;
  friend bool operator==(launched, launched) = default;
};

/// The tag `after(a, b, ...)` or `after(range)` inside a graph: starts when those launches have ended.
template <std::size_t N>
struct launched_list {
  std::array<launched, N> items;
};
/// What after(...) makes of a range of launches.
struct launched_range {
  std::span<const launched> items;
};
/// The tag `after(a, b, ...)` within a graph: this launch starts only when these have ended.
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
  launch_graph();
  launch_graph(launch_graph&&) noexcept;
  launch_graph& operator=(launch_graph&&) noexcept;
  ~launch_graph();

  /// Describes a launch on objects (object_launch.hpp says what of): nothing runs.
  ///
  ///   tags     as of launch on objects; after(...) names events and futures that every submission waits for, or
  ///            launches described before
  ///   throws   A08 for a launch of another graph; K24, K25. What else a launch throws, submit throws
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

  /// Submits all of them. Nothing is submitted where it throws.
  ///
  ///   returns  an event for all; each launch counts in the enclosing finish
  ///   throws   what launch throws on objects: A02, A05 to A07
  event submit(std::source_location where = std::source_location::current()) const;

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
