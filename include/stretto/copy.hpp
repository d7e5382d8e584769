// copy.hpp - operations that move elements between instances: copy, fill, gather, scatter. All are deferred.
//
// The instances may be of any nodes of the job, whoever asks; elements go from memory to memory, without a stop between
// where both are dense in memory of the host. Of gather and scatter all three instances are on one node (else D24).
// What is wrong with an instance of another node is found there, and poisons the event.
//
// Threads     any thread of the runtime.
// Memory      what an operation wrote is visible once its event has triggered; operations on the same elements are
//             ordered by events, or not at all.
// Cost        8 bytes with nothing to wait for: about 50 ns, in the call, no event made; in a chain of events 150 ns.
//             Up to 16 KiB run where the last precondition ends; larger ones are tasks, cut over the workers from
//             1 MiB on. Contiguous rows move at the speed of memcpy.
// Invariants  (1) each waits by itself until its instances exist. (2) if a precondition is poisoned nothing is
//             written. (3) what the call can know to be wrong is thrown there: D01, D06, D13.
#pragma once

#include <stretto/instance.hpp>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

/// How an index names an element of the table it points into.
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

/// Copies all elements. Both instances have the same box, or D06.
///
///     event copied = copy(u, v, after(computed));
template <class T, std::size_t D>
event copy(const instance<T, D>& from, const instance<T, D>& to, const preconditions& after = {},
           std::source_location where = std::source_location::current()) {
  return detail::copy_whole(to.handle(), from.handle(), after, where);
}
// The same, an exact match: with elements of namespace std, such as complex numbers, std::copy would be the better one
// else.
template <class T, std::size_t D, std::size_t N>
event copy(const instance<T, D>& from, const instance<T, D>& to, const after_list<N>& after,
           std::source_location where = std::source_location::current()) {
  return detail::copy_whole(to.handle(), from.handle(), after, where);
}

/// Copies the elements of `part`, which lies in the boxes of both instances (or D06), at the same coordinates. This is
/// what a halo is: two tiles of one global index space, whose boxes overlap.
template <class T, std::size_t D>
event copy(const instance<T, D>& from, const instance<T, D>& to, const box& part, const preconditions& after = {},
           std::source_location where = std::source_location::current()) {
  return detail::copy_boxes(to.handle(), from.handle(), {&part, 1}, {}, after, where);
}

/// Copies several boxes as one operation with one event. They may not overlap.
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

/// Copies `part` of `from` to the same-sized box of `to` that begins at `at`.
template <class T, std::size_t D>
event copy(const instance<T, D>& from, const box& part, const instance<T, D>& to, const point& at,
           const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  const box target = part.is_empty() ? part : part.shifted(at - part.min());
  return detail::copy_boxes(to.handle(), from.handle(), {&target, 1}, part.min() - at, after, where);
}

/// Sets all elements, or those of `part`, to `value`.
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

/// to[p] = from[indices[p]] for every p of `to`, whose box `indices` covers (or D06). An index outside `from` poisons
/// the event with D07, which names it.
///
///   indices  of 32- or 64-bit integers for a one-dimensional `from`; else of std::array<std::int64_t, D> or point
template <class T, std::size_t D, std::size_t E, class Index>
  requires detail::index_into<Index, D>
event gather(const instance<T, D>& from, const instance<Index, E>& indices, const instance<T, E>& to,
             const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  return detail::move_indexed(detail::indexed::gather, to.handle(), from.handle(), indices.handle(),
                              detail::index_traits<Index>::kind, after, where);
}

/// to[indices[p]] = from[p] for every p of `from`, whose box `indices` covers (or D06). Where several indices are
/// equal, one of them wins. D07 as in gather; elements before the bad index may have been written.
template <class T, std::size_t D, std::size_t E, class Index>
  requires detail::index_into<Index, D>
event scatter(const instance<T, E>& from, const instance<Index, E>& indices, const instance<T, D>& to,
              const preconditions& after = {}, std::source_location where = std::source_location::current()) {
  return detail::move_indexed(detail::indexed::scatter, from.handle(), to.handle(), indices.handle(),
                              detail::index_traits<Index>::kind, after, where);
}

}  // namespace stretto

STRETTO_API_END
