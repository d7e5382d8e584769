// buffer_launch.hpp - launches on buffers: all nodes of a job compute a kernel, each its chunk of the range.
//
//     STRETTO_KERNEL(average, (in<double> u, out<double> v), {
//       int i = global_id(0);
//       v(i) = (u(i - 1) + u(i + 1)) / 2;
//     })
//     STRETTO_KERNEL(add_up, (in<double> v, reduce<sum<double>> total), { total(0) << v(global_id(0)); })
//
//     double average_and_sum(const buffer<double>& u, const buffer<double>& v) {
//       const box inside(u.elements().min()[0] + 1, u.elements().max()[0] - 1);
//       const buffer<double> total(box(0, 1));
//       launch(average, inside, u(neighborhood(1)), v(one_to_one));
//       launch(name("sum"), add_up, inside, v(one_to_one), total.from_identity());
//       return total.read().get().view()(0);
//     }
//
// buffer.hpp includes this header.
//
// Threads     as of buffers: from one task at a time, on every node in the same order.
// Cost        see docs/performance.md. A call takes a lock of the runtime.
#pragma once

#include <stretto/buffer_tags.hpp>
#include <stretto/buffer_use.hpp>
#include <stretto/detail/buffer_launch.hpp>
#include <stretto/kernel.hpp>
#include <stretto/launch.hpp>

STRETTO_API_BEGIN

namespace stretto {

/// Computes `k` for every id of `range` on buffers: each node its chunk, on its devices or its host. Launches that use
/// the same elements run in the order of submission, unless both only read.
///
///   tags     any of on(device_kind::...), on(driver("...")), in_tiles, in_pieces{n}, constrain_split(n), priority(n),
///            name("text"), before the kernel, equal on every node; reserve_elements{}, which only announces the
///            launch; after(...): the chunk of this node waits for events of this node. Unless it names the host, a
///            kind or driver selects all devices of it on the node
///   given    for in, out and inout a buffer with a mapper; for reduce a buffer, or total.from_identity(); for a value
///            anything that converts to it; for local a local_size. `out` promises that the kernel overwrites every
///            element that the mapper names; otherwise use inout. A reduction has the same result on all nodes, to the
///            last bit; with other numbers of nodes or devices, floating-point sums differ in rounding
///   returns  an event of this node that triggers when its chunk is computed, or at once if it has none. Poisoned as
///            that of a launch on instances
///   throws   A06 if this node has no device of the named kind; B04 if two chunks write the same element, B05 if a
///            mapper names elements outside of the buffer, B06 if the launch also uses a buffer that it reduces into,
///            B07 for an empty buffer; B31 if mappers name elements that one item reads and another writes; B32 if the
///            axes of range, mapper and buffer do not fit, B33 if one_to_one gets a range larger than the buffer; B20,
///            B35, K24, K25. Then no node has done anything. B24 if a memory of this node is too small for its smallest
///            piece
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
