// recorded_launch.hpp - kernel launches as operations of a recorded graph: the graph is the first argument.
//
//     STRETTO_KERNEL(smooth, (in<float> u, out<float> v), {
//       int i = global_id(0);
//       v(i) = (u(i - 1) + u(i + 1)) / 2;
//     })
//
//     void smooth_repeatedly(const instance<float>& u, const instance<float>& v, int pairs) {
//       const box inside(u.elements().min()[0] + 1, u.elements().max()[0] - 1);
//       recorded_graph<> two_steps;
//       auto first = launch(two_steps, smooth, inside, u, v);
//       launch(two_steps, after(first), smooth, inside, v, u);
//       event done;
//       for (int i = 0; i < pairs; ++i) done = two_steps.replay(after(done));
//       wait(done);
//     }
//
// Threads     as the recording of tasks (recorded_graph.hpp).
// Cost        checks and compilation happen once, when recorded. In a replay, successive launches on one device are
//             enqueued together and end together; each costs the driver's time only. On the host a launch is a task. If
//             a graph consists of such launches only, and `after` is given the event of the replay before, the device
//             gets the next replay while that one is under way.
// Invariants  as in launch.hpp. If an instance was destroyed between replays, the launch fails with D01.
// Source      executable graphs of kernels, launched as one: CUDA graphs.
#pragma once

#include <stretto/detail/value_list.hpp>
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
  const value_list<argument<N, P, A>...> all{{argument<N, P, A>(given)}...};
  const std::array<launch_item, sizeof...(P)> items{value_at<N>(all).item()...};
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

/// Records a launch: each replay computes `k` for every id of `range`, on the device or host whose memory has the
/// arrays.
///
///   tags     any of after(operations...), at(place), on(processor), priority(n), name("text"), before the kernel
///   given    as for a launch without a graph; values are copied in this call
///   returns  the operation, for after(). A failure of the launch poisons the replay's event
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
