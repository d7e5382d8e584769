// copy.hpp - asynchronous operations on instances: copy, fill, gather, scatter.
//
//     void exchange_halo(const instance<float, 2>& left, const instance<float, 2>& right, event computed) {
//       const box overlap = intersection(left.elements(), right.elements());
//       event zeroed = fill(right, overlap, 0.0f, after(computed));
//       event copied = copy(left, right, overlap, after(zeroed));
//       wait(copied);
//     }
//     event sort_by(const instance<int>& order, const instance<float>& from, const instance<float>& to) {
//       return gather(from, order, to);  // to[p] = from[order[p]]
//     }
//
// The instances may be on any nodes of the job, whichever node calls. Elements that are dense in host memory on both
// sides move without a staging buffer. The three instances of a gather or scatter must be on one node (else D24).
// Errors of an instance of another node are detected there, and poison the event.
//
// Threads     any thread of the runtime.
// Memory      the writes of an operation are visible once its event has triggered. Only events order operations on the
//             same elements.
// Cost        8 bytes without pending preconditions: about 50 ns, in the call, without an event; in a chain of events
//             150 ns. Up to 16 KiB run on the thread that ends the last precondition. Larger ones are tasks, split
//             among the workers from 1 MiB on. Contiguous rows move at the speed of memcpy.
// Invariants  (1) each operation waits by itself until its instances exist. (2) if a precondition is poisoned, nothing
//             is written. (3) the call itself throws B20, D01, D06 and D13; later failures poison the event.
#pragma once

#include <stretto/instance.hpp>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

/// The type of the indices of a gather or scatter.
enum class index_kind : std::uint8_t {
  int32,
  uint32,
  int64,
  uint64,  // the coordinate of a one-dimensional table
  point1,
  point2,
  point3,  // that many 64-bit coordinates
};

template <class Index>
struct index_traits;
template <>
struct index_traits<std::int32_t> {
  static constexpr auto kind = index_kind::int32;
};
template <>
struct index_traits<std::uint32_t> {
  static constexpr auto kind = index_kind::uint32;
};
template <>
struct index_traits<std::int64_t> {
  static constexpr auto kind = index_kind::int64;
};
template <>
struct index_traits<std::uint64_t> {
  static constexpr auto kind = index_kind::uint64;
};
template <>
struct index_traits<std::array<std::int64_t, 1>> {
  static constexpr auto kind = index_kind::point1;
};
template <>
struct index_traits<std::array<std::int64_t, 2>> {
  static constexpr auto kind = index_kind::point2;
};
template <>
struct index_traits<std::array<std::int64_t, 3>> {
  static constexpr auto kind = index_kind::point3;
};
template <>
struct index_traits<element> {
  static constexpr auto kind = index_kind::int64;
};
template <>
struct index_traits<point> {
  static constexpr auto kind = index_kind::point3;
};

/// Whether `Index` values can name elements of a table of D dimensions.
template <class Index, std::size_t D>
concept index_into = requires {
  index_traits<Index>::kind;
} && (index_traits<Index>::kind <= index_kind::uint64 ? D == 1 : sizeof(Index) >= D * sizeof(coordinate));

event copy_boxes(const instance_handle& to, const instance_handle& from, std::span<const box> boxes, const point& shift,
                 const preconditions& after, const std::source_location& where);
event copy_whole(const instance_handle& to, const instance_handle& from, const preconditions& after,
                 const std::source_location& where);
event fill_box(const instance_handle& to, const box* part, const void* value, std::size_t bytes,
               const preconditions& after, const std::source_location& where);
enum class indexed : std::uint8_t { gather, scatter };
event move_indexed(indexed way, const instance_handle& dense, const instance_handle& table,
                   const instance_handle& indices, index_kind kind, const preconditions& after,
                   const std::source_location& where);

}  // namespace detail

/// Copies all elements of `from` to `to`.
///
///   after    after(...), profile(into) or both, as of all operations of this header
///   returns  an event that triggers when the elements are copied
///   throws   D06 if the boxes differ; D11 if both are the same instance; B20, D01, D13
template <class T, std::size_t D>
event copy(const instance<T, D>& from, const instance<T, D>& to, const preconditions& after = {},
           std::source_location where = std::source_location::current()) {
  return detail::copy_whole(to.handle(), from.handle(), after, where);
}
// The same as an exact match. Without it, std::copy would be the better match for elements of namespace std.
template <class T, std::size_t D, std::size_t N>
event copy(const instance<T, D>& from, const instance<T, D>& to, const after_list<N>& after,
           std::source_location where = std::source_location::current()) {
  return detail::copy_whole(to.handle(), from.handle(), after, where);
}

/// Copies the elements of `part` between two instances that overlap in one index space, such as a halo. Throws D06 if
/// `part` does not lie in both boxes; B20, D01.
template <class T, std::size_t D>
event copy(const instance<T, D>& from, const instance<T, D>& to, const box& part, const preconditions& after = {},
           std::source_location where = std::source_location::current()) {
  return detail::copy_boxes(to.handle(), from.handle(), {&part, 1}, {}, after, where);
}

/// Copies several boxes as one operation with one event. The boxes must not overlap. Throws D06, B20, D01.
template <class T, std::size_t D>
event copy(const instance<T, D>& from, const instance<T, D>& to, std::span<const box> parts,
           const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  return detail::copy_boxes(to.handle(), from.handle(), parts, {}, after, where);
}

template <class T, std::size_t D>
event copy(const instance<T, D>& from, const instance<T, D>& to, const std::vector<box>& parts,
           const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  return detail::copy_boxes(to.handle(), from.handle(), parts, {}, after, where);
}

/// Copies `part` of `from` to the box of equal size of `to` that begins at `at`. Throws D06 if either box lies outside
/// of its instance; B20, D01.
template <class T, std::size_t D>
event copy(const instance<T, D>& from, const box& part, const instance<T, D>& to, const point& at,
           const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  const box target = part.is_empty() ? part : part.shifted(at - part.min());
  return detail::copy_boxes(to.handle(), from.handle(), {&target, 1}, part.min() - at, after, where);
}

/// Sets all elements, or those of `part`, to `value`. Throws D06 if `part` lies outside of the instance; B20, D01.
template <class T, std::size_t D>
event fill(const instance<T, D>& to, const std::type_identity_t<T>& value, const preconditions& after = {},
           std::source_location where = std::source_location::current()) {
  return detail::fill_box(to.handle(), nullptr, &value, sizeof(T), after, where);
}
template <class T, std::size_t D>
event fill(const instance<T, D>& to, const box& part, const std::type_identity_t<T>& value,
           const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  return detail::fill_box(to.handle(), &part, &value, sizeof(T), after, where);
}

/// Gathers: to[p] = from[indices[p]] for every p of `to`.
///
///   indices  32- or 64-bit integers for a one-dimensional `from`; otherwise std::array<std::int64_t, D> or point
///   returns  an event; an index outside of `from` poisons it with D07
///   throws   D06 if `indices` does not cover the box of `to`, D24 if the instances are on several nodes; B20, D01
template <class T, std::size_t D, std::size_t E, class Index>
  requires detail::index_into<Index, D>
event gather(const instance<T, D>& from, const instance<Index, E>& indices, const instance<T, E>& to,
             const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  return detail::move_indexed(detail::indexed::gather, to.handle(), from.handle(), indices.handle(),
                              detail::index_traits<Index>::kind, after, where);
}

/// Scatters: to[indices[p]] = from[p] for every p of `from`. If indices are equal, one of their values is stored.
///
///   returns  an event; an index outside of `to` poisons it with D07, and elements before it may have been written
///   throws   D06 if `indices` does not cover the box of `from`, D24 if the instances are on several nodes; B20, D01
template <class T, std::size_t D, std::size_t E, class Index>
  requires detail::index_into<Index, D>
event scatter(const instance<T, E>& from, const instance<Index, E>& indices, const instance<T, D>& to,
              const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  return detail::move_indexed(detail::indexed::scatter, from.handle(), to.handle(), indices.handle(),
                              detail::index_traits<Index>::kind, after, where);
}

}  // namespace stretto

STRETTO_API_END
