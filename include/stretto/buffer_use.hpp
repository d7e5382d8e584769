// buffer_use.hpp - the types of buffer arguments of launches and host tasks: a buffer, a mapper, and the kind of
// access.
//
//     void write_squares(const buffer<double>& x, const buffer<double>& squares, const buffer<double>& most) {
//       const host_use<double, 1, access::in> read = x.in(one_to_one);
//       const host_use<double, 1, access::out> write = squares.out(one_to_one);
//       host_task(x.elements(), [](const box& part, view<const double> from, view<double> to) {
//         for (auto i = part.min()[0]; i < part.max()[0]; ++i) to(i) = from(i) * from(i);
//       }, read, write);
//       host_task(x.elements(), [](const box& part, view<const double> from, view<double> largest) {
//         for (auto i = part.min()[0]; i < part.max()[0]; ++i) largest(0) = std::max(largest(0), from(i));
//       }, x.in(one_to_one), most.reduce<maximum<double>>().from_identity());
//     }
//
// Members of a buffer (buffer.hpp) make these arguments.
//
// Threads     values, each with a handle of the buffer.
#pragma once

#include <stretto/detail/buffer_arguments.hpp>
#include <stretto/instance.hpp>
#include <stretto/kernel_code.hpp>

#include <cstddef>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

template <class T, std::size_t D>
class buffer;

/// A buffer with a mapper as an argument of a launch: u(neighborhood(1)).
template <class T, std::size_t D>
struct buffer_use {
  buffer<T, D> of;
  detail::range_mapper by;
};

/// A buffer with a mapper and a kind of access as an argument of a host task: u.in(neighborhood(1)), v.out(one_to_one).
template <class T, std::size_t D, access How>
struct host_use {
  buffer<T, D> of;
  detail::range_mapper by;
  using element = std::conditional_t<How == access::in, const T, T>;
  using view = stretto::view<element, D>;
  using checked_view = stretto::view<element, D, bounds::checked>;
  /// The view that the function gets. For Stretto itself.
  static view view_of(const detail::host_elements& e) noexcept {
    return {reinterpret_cast<element*>(e.first), e.shape};
  }
  /// The same view, checked. For Stretto itself.
  static checked_view checked_view_of(const detail::host_elements& e) noexcept {
    return {reinterpret_cast<element*>(e.first), e.shape, e.limits};
  }
};

/// A buffer that a launch reduces into without its present elements, as an argument: total.from_identity(). The buffer
/// itself as an argument combines them with the contributions.
template <class T, std::size_t D>
struct buffer_reduction {
  buffer<T, D> of;
};

/// A buffer that a host task reduces into, as an argument: total.reduce<sum<double>>(). The task folds into a view of
/// elements of its own.
template <class T, std::size_t D, class Op>
struct host_reduction {
  buffer<T, D> of;
  bool includes_current = true;
  using view = stretto::view<T, D>;
  using checked_view = stretto::view<T, D, bounds::checked>;
  /// The view that the function gets. For Stretto itself.
  static view view_of(const detail::host_elements& e) noexcept { return {reinterpret_cast<T*>(e.first), e.shape}; }
  /// The same view, checked. For Stretto itself.
  static checked_view checked_view_of(const detail::host_elements& e) noexcept {
    return {reinterpret_cast<T*>(e.first), e.shape, e.limits};
  }
  /// The same argument without the present elements of the buffer. Never throws.
  host_reduction from_identity() const { return {of, false}; }
};

}  // namespace stretto

STRETTO_API_END
