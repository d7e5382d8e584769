// recorded_launch.hpp - kernels as operations of a recorded graph: the usual verb, the graph first.
//
//     recorded_graph<> step;
//     auto a = launch(step, jacobi, interior, u, v, 0.1f);
//     auto b = launch(step, after(a), jacobi, interior, v, u, 0.1f);
//     event done;
//     for (int i = 0; i < 1000; ++i) done = step.replay(after(done));
//
// Threads     as the recording of tasks (recorded_graph.hpp).
// Cost        checked, and compiled, once, when recorded. In a replay, launches on one device that follow one another,
//             with nothing else between them, are handed to it in one go and have one end: each takes what the driver
//             takes. On the host a launch is a task. A replay of a graph that is such a row of launches and nothing
//             else, in turn, is handed to the device behind the one before while that is under way, where `after` is
//             given that one's event.
// Invariants  as in launch.hpp. Instances may be destroyed between replays: then the launch fails with D01.
// Source      executable graphs of kernels, launched as one: CUDA graphs.
#pragma once

#include <stretto/launch.hpp>
#include <stretto/recorded_graph.hpp>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

recorded_operation record_launch(graph_base& g, const kernel_code& code, const kernel_range& range,
                                 std::span<const launch_item> items, recorded_request request);

template <class... P, class... A, std::size_t... N>
recorded_operation record_launch_with(graph_base& g, const kernel<void(P...)>& k, const kernel_range& range,
                                      const recorded_request& request, std::index_sequence<N...>, const A&... given) {
  const std::tuple<argument<N, P, A>...> all{argument<N, P, A>(given)...};
  const std::array<launch_item, sizeof...(P)> items{std::get<N>(all).item()...};
  return record_launch(g, k.code(), range, items, request);
}

template <class... P, class... A>
recorded_operation record_launch_checked(graph_base& g, const recorded_request& request, const kernel<void(P...)>& k,
                                         const kernel_range& range, const A&... given) {
  static_assert(
      instance_arguments<A...>,
      "a recorded launch takes instances and values: launches on objects and buffers find their order and place anew");
  static_assert(sizeof...(A) == sizeof...(P), "a launch gives as many arguments as the kernel has parameters");
  if constexpr (instance_arguments<A...> && sizeof...(A) == sizeof...(P))
    return record_launch_with(g, k, range, request, std::index_sequence_for<P...>(), given...);
  else return {};
}

}  // namespace detail

/// Each replay computes `k` for every id of `range`, where the arrays are.
///
///   tags     any of after(operations...), at(place), on(processor), priority(n), name("text"), before the kernel
///   given    as for a launch without a graph; values are those of now, in every replay
///   returns  for after(). Its failure is that of the replay, and names the launch
///   throws   what a launch without a graph throws, S21 while a replay is under way, S22 for an operation of another
///            graph
template <class... P, class... A>
recorded_operation launch(detail::graph_base& g, const kernel<void(P...)>& k, const kernel_range& range,
                          const A&... given) {
  return detail::record_launch_checked(g, {}, k, range, given...);
}
template <class... A>
recorded_operation launch(detail::graph_base& g, detail::first_tag<detail::recorded_request, A...> first,
                          const A&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class... P>(const kernel<void(P...)>& k, const detail::range_for<kernel_range> auto& range,
                      const auto&... given) {
        return detail::record_launch_checked(g, first.request, k, detail::range_at<kernel_range>(range, first.where),
                                             given...);
      },
      rest...);
}

}  // namespace stretto

STRETTO_API_END
