// object_launch.hpp - launches on objects: a scheduler selects the device, and the runtime copies the arguments there.
//
//     STRETTO_KERNEL(average, (in<float> u, out<float> v), {
//       int i = global_id(0);
//       v(i) = (u(i - 1) + u(i + 1)) / 2;
//     })
//     void average_in_three_ways(const object<float>& u, const object<float>& v, coordinate n) {
//       launch(average, box(1, n - 1), u, v);                                      // one device computes all of it
//       launch(on(device_kind::gpu), name("left"), average, box(1, n / 2), u(box(0, n / 2 + 1)), v(box(1, n / 2)));
//       launch(average, box(1, n - 1), u(neighborhood(1)), v(one_to_one));         // may be split among all devices
//     }
//
// object.hpp includes this header.
//
// Threads     any thread of the runtime. Submissions from several threads are ordered by their arrival.
// Cost        see docs/performance.md. A submission takes a lock of the runtime.
#pragma once

#include <stretto/detail/object_launch.hpp>
#include <stretto/device_kind.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>

STRETTO_API_BEGIN

namespace stretto {

/// Computes `k` for every id of `range` on objects, on a device or the host as the scheduler decides. Launches that use
/// the same elements run in the order of submission, unless both only read.
///
///   tags     any of after(...), on(device_kind::...), on(driver("...")), on(place of a device or of the host),
///            constrain_split(n), priority(n), name("text"), before the kernel
///   given    for in, out, inout and reduce an object, a tile u(box) or an object with a mapper u(neighborhood(1)); for
///            a value anything that converts to it; for local a local_size. `out` promises that the kernel overwrites
///            every element of the object or tile; otherwise use inout. If arguments have mappers, the runtime may
///            split the launch: each device computes a part in proportion to its measured speed. All written arguments
///            then need mappers
///   returns  an event that triggers when all items are computed. It is poisoned as that of a launch on instances, with
///            A03 if the launch reads elements that nothing wrote, and with A04 if its arguments do not fit into the
///            memory of any device that may run it
///   throws   A02 for an empty object, A05 for a tile outside of its object, A06 if no device may run the launch, A07
///            if parts of a split launch would write the same elements; B31 if mappers name elements that one item
///            reads and another writes; B32 if the axes of range, mapper and object do not fit, B33 if one_to_one gets
///            a range larger than the object; B20, B35, K24, K25
template <class... P, class... A>
  requires(detail::object_argument<A> || ...)
event launch(const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
  return detail::launch_objects_checked({}, k, range, given...);
}
template <class... A>
  requires(detail::object_argument<A> || ...)
event launch(detail::first_tag<detail::object_launch, A...> first, const A&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class... P>(const kernel<void(P...)>& k, const detail::range_for<kernel_range> auto& range,
                      const auto&... given) {
        return detail::launch_objects_checked(first.request, k, detail::range_at<kernel_range>(range, first.where),
                                              given...);
      },
      rest...);
}

}  // namespace stretto

STRETTO_API_END
