// object_launch.hpp - launches on objects: a kernel is computed wherever a scheduler decides, where its arguments are
// copied first.
//
//     object<float, 2> u(plate), v(plate);
//     launch(init, plate, u);
//     launch(jacobi, inside, u, v, 0.1f);
//     launch(on(device_kind::gpu), name("upper half"), jacobi, upper, u(upper_rows), v(upper_rows), 0.1f);
//     launch(jacobi, inside, u(neighborhood(1)), v(one_to_one), 0.1f);       // may be divided among all devices
//
// object.hpp includes this header.
//
// Threads     any thread of the runtime. Submissions from several threads are ordered as they come.
// Cost        see docs/performance.md. Submission takes a lock of the runtime's.
#pragma once

#include <stretto/detail/object_launch.hpp>
#include <stretto/device_kind.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>

STRETTO_API_BEGIN

namespace stretto {

/// Computes `k` for every id of `range` on objects, wherever the scheduler decides; in the order of submission as far
/// as arguments ask for it.
///
///   tags     any of after(...), on(device_kind::...), on(driver("...")), on(place of a device or of the host),
///            constrain_split(n), priority(n),
///            name("text"), before the kernel
///   given    for in, out, inout and reduce an object or a tile of one, for a value something that converts to it, for
///            local a local_size. `out` declares that every element of the object or tile is overwritten: else the
///            parameter is inout Where arguments say what each part of the range uses (mapper.hpp), the launch may be
///            divided: every device that may run it computes a part, as large as it is fast, by what was measured. All
///            arguments that are written must say it
///   returns  an event, poisoned as that of a launch on instances, with A03 where it reads what nothing wrote, with A04
///            where its arguments alone do not fit into the memory of any device that it may run on
///   throws   A02 for an object that names nothing, A05 for a tile outside of its object, A06 where no device that it
///            may run on is there, with A07 where parts of a divided launch would write the same elements; with B31
///            where mappers say that an item reads what another one writes, however the launch is divided; B32 where
///            the axes of range, mapper and object do not fit, B33 where one_to_one is given a range larger than the
///            object; B35, K24, K25
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
