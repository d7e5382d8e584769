// buffer_launch.hpp - launches on buffers: a kernel is computed by all nodes of a job, each its chunk of the range.
//
//     buffer<float, 2> u(plate), v(plate);
//     buffer<double> total(box(0, 1));
//     launch(init, plate, u(one_to_one));
//     launch(jacobi, inside, u(neighborhood(1)), v(one_to_one), 0.1f);
//     launch(in_tiles, name("sum"), add_up, plate, v(one_to_one), total.from_identity());
//
// buffer.hpp includes this header.
//
// Threads     as of buffers: from one task at a time, on every node in the same order.
// Cost        see docs/performance.md. A call takes a lock of the runtime's.
#pragma once

#include <stretto/buffer_tags.hpp>
#include <stretto/buffer_use.hpp>
#include <stretto/detail/buffer_launch.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>

STRETTO_API_BEGIN

namespace stretto {

/// Computes `k` for every id of `range` on buffers: each node its chunk, on its devices or its host; in the order of
/// submission as far as arguments ask for it.
///
///   tags     any of on(device_kind::...), in_tiles, in_pieces{n}, constrain_split(n), priority(n),
///            name("text"), before the kernel, the
///            same on every node; to_come{}: nothing is done, see there; after(...): this node's chunk waits for
///            events of this node. A kind or a
///            driver("...") other than the host is that of all devices of the node
///   given    for in, out and inout a buffer with a mapper, for reduce a buffer, or total.from_identity(), for a value
///            something that converts to it, for local a local_size. `out` declares that every element that the mapper
///            names is overwritten: else the parameter is inout. What is reduced has one result on all nodes, to the
///            last bit; with other numbers of nodes or devices, sums of floating-point numbers differ in rounding
///   returns  an event of this node: its chunk has been computed, or it has none. Poisoned as that of a launch on
///            instances
///   throws   A06 where a kind of device is named of which this node has none; B04 where two chunks write the same
///            element, B05 where a mapper leaves the buffer, B06 where a buffer that is reduced into is used otherwise,
///            too, B07 for a buffer that names nothing; B31 where mappers say that an item reads what another one
///            writes, however the range is cut; B32 where the axes of range, mapper and buffer do not fit, B33 where
///            one_to_one is given a range larger than the buffer; B35, K24, K25. Nothing has been done then, on any
///            node. B24 where a memory of this node is too small for what its smallest piece uses
template <class... P, class... A>
  requires(detail::buffer_argument<A> || ...)
event launch(const kernel<void(P...)>& k, const kernel_range& range, const A&... given) {
  return detail::launch_buffers_checked({}, k, range, given...);
}
template <class... A>
  requires(detail::buffer_argument<A> || ...)
event launch(detail::first_tag<detail::buffer_launch, A...> first, const A&... rest) {
  return detail::behind_tags(
      first.request,
      [&]<class... P>(const kernel<void(P...)>& k, const detail::range_for<kernel_range> auto& range,
                      const auto&... given) {
        return detail::launch_buffers_checked(first.request, k, detail::range_at<kernel_range>(range, first.where),
                                              given...);
      },
      rest...);
}

}  // namespace stretto

STRETTO_API_END
