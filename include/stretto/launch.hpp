// launch.hpp - computing a kernel over a range, on arrays that are instances, where these are: on the host or a device.
//
//     auto stepped = launch(jacobi, box({1, 1}, {n - 1, n - 1}), u, v, 0.1f);
//     auto next = launch(after(stepped), name("second half"), jacobi, interior, v, u, 0.1f);
//     launch(sum_of_group, in_groups({0, 64}, 256), x, sums, local_size{256});
//
// Threads     any thread of the runtime.
// Memory      what a launch wrote is visible to who waits for its event; launches on the same elements are ordered by
//             `after`, or not at all.
// Cost        on the host one task, and for more than a few thousand items one per chunk of the range: about eight per
//             worker. On a device the driver's cost, in the call if it waits for nothing but work of the same device;
//             the first launch of a kernel on a device compiles it.
// Invariants  (1) it waits by itself until its instances exist. (2) if a precondition is poisoned nothing is written.
//             (3) each item of the range is computed once, in any order.
#pragma once

#include <stretto/detail/launch_arguments.hpp>
#include <stretto/forasync.hpp>
#include <stretto/instance.hpp>
#include <stretto/kernel.hpp>
#include <stretto/kernel_range.hpp>

#include <concepts>
#include <cstddef>
#include <source_location>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

/// Computes `k` for every id of `range`: on the device whose memory holds the arrays, on the workers if the host's
/// does.
///
///   tags     any of after(...), at(place), on(processor) or on(worker(i)), priority(n), name("text"),
///            profile(into), in any order, before the kernel; the name of the kernel is the launch's where none is
///            given. On a worker, or a processor of the host, one worker computes all of it. Without arrays on(device)
///            says where; a device's queues know no priorities
///   given    for in, out, inout and reduce an instance, for a value something that converts to it, for local a
///            local_size; for reduce also a reduction_instance, to which the items contribute as to a shared fold, on
///            the host or the device whose memory it is in
///   returns  an event, poisoned with what a checked kernel finds (K01; option check), with K02, with D01, or with what
///            a device says (K20 to K23, K30, K31)
///   throws   K24 if a group kernel is given no groups, or another one some; K25 for groups of fewer than one item; K28
///            for arrays in different memories, or not in that of the device named, or in a device's where a worker is;
///            K12 and K13 where the device cannot run the kernel; what async throws
template <class... P, class... A>
  requires(detail::instance_arguments<A...>)
event launch(const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
  return detail::launch_checked({}, k, range, given...);
}
template <class... A>
  requires detail::instance_arguments<A...>
event launch(detail::first_tag<detail::task_request, A...> first, const A&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class... P>(const kernel<void(P...)>& k, const detail::range_for<kernel_range> auto& range,
                      const auto&... given) {
        return detail::launch_checked(first.request, k, detail::range_at<kernel_range>(range, first.where), given...);
      },
      rest...);
}

}  // namespace stretto

STRETTO_API_END
