// launch.hpp - launches a kernel over a range of ids, on the host or the device whose memory holds its instances.
//
//     STRETTO_KERNEL(diffuse, (in<float, 2> u, out<float, 2> v, float c), {
//       int i = global_id(0), j = global_id(1);
//       v(i, j) = u(i, j) + c * (u(i-1, j) + u(i+1, j) + u(i, j-1) + u(i, j+1) - 4 * u(i, j));
//     })
//     event two_steps(const instance<float, 2>& u, const instance<float, 2>& v, coordinate n) {
//       const box inside({1, 1}, {n - 1, n - 1});
//       event first = launch(diffuse, inside, u, v, 0.1f);
//       return launch(after(first), name("second step"), diffuse, inside, v, u, 0.1f);
//     }
//
// Threads     any thread of the runtime.
// Memory      the writes of a launch are visible once its event has triggered. Only events, given by after(...), order
//             launches on the same elements.
// Cost        on the host one task; for more than a few thousand items one task per chunk, about eight chunks per
//             worker. On a device the driver's cost, paid in the call unless the launch waits for other work than that
//             of the same device. The first launch of a kernel on a device compiles it.
// Invariants  (1) a launch waits by itself until its instances exist. (2) if a precondition is poisoned, nothing is
//             written.
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

/// Computes `k` for every id of `range`: on the device whose memory holds the arrays, or on the workers if that is host
/// memory.
///
///   tags     any of after(...), at(place), on(processor) or on(worker(i)), priority(n), name("text"), profile(into),
///            in any order, before the kernel. Without name(), the launch has the name of the kernel. With
///            on(worker(i)) or a processor of the host, one worker computes all items. Without arrays, on(device)
///            selects the device. Device queues ignore priorities
///   k        a kernel of kernel.hpp, kernel_template.hpp or native_kernel.hpp
///   range    a box of ids, or in_groups(...) for a group kernel
///   given    one argument per parameter: for in, out, inout and reduce an instance, for a value anything that converts
///            to it, for local a local_size. For reduce also a reduction_instance, in host memory or in that of the
///            device
///   returns  an event that triggers when all items are computed. It is poisoned with K01 by checked kernels (option
///            check), K02, D01, or an error of the device (K20 to K23, K30, K31)
///   throws   K24 if a group kernel gets no groups, or another kernel some; K25 for groups without items; K28 for
///            arrays in different memories, not in the memory of the named device, or in device memory with a worker
///            named; K12 and K13 if the device cannot run the kernel; what async throws
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
