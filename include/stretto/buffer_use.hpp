// buffer_use.hpp - arguments of launches and host tasks: a buffer, which of its elements they use, and how.
//
//     launch(step, range, u(neighborhood(1)), v(one_to_one), total.from_identity());   // buffer_use, buffer_reduction
//     host_task(rows, write, u.in(one_to_one), seen.out(one_to_one));                  // host_use
//     host_task(rows, fold, x.in(one_to_one), most.reduce<maximum<double>>());         // host_reduction
//
// Members of a buffer (buffer.hpp) make them.
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

/// A buffer and what each chunk of a launch uses of it, as an argument: u(neighborhood(1)).
template <class T, std::size_t D>
struct buffer_use {
  buffer<T, D> of;
  detail::range_mapper by;
};

/// The same for a host task, which says what it does with it: u.in(neighborhood(1)), v.out(one_to_one).
template <class T, std::size_t D, access How>
struct host_use {
  buffer<T, D> of;
  detail::range_mapper by;
  using element = std::conditional_t<How == access::in, const T, T>;
  using view = stretto::view<element, D>;
  using checked_view = stretto::view<element, D, bounds::checked>;
  static view view_of(const detail::host_elements& e) noexcept {
    return {reinterpret_cast<element*>(e.first), e.shape};
  }
  static checked_view checked_view_of(const detail::host_elements& e) noexcept {
    return {reinterpret_cast<element*>(e.first), e.shape, e.limits};
  }
};

/// A buffer that a launch reduces into, as an argument: total.from_identity(). The buffer alone is one whose content is
/// folded, too.
template <class T, std::size_t D>
struct buffer_reduction {
  buffer<T, D> of;
};

/// The same for a host task, which is given a view of elements of its own to fold into: total.reduce<sum<double>>().
template <class T, std::size_t D, class Op>
struct host_reduction {
  buffer<T, D> of;
  bool includes_current = true;
  using view = stretto::view<T, D>;
  using checked_view = stretto::view<T, D, bounds::checked>;
  static view view_of(const detail::host_elements& e) noexcept { return {reinterpret_cast<T*>(e.first), e.shape}; }
  static checked_view checked_view_of(const detail::host_elements& e) noexcept {
    return {reinterpret_cast<T*>(e.first), e.shape, e.limits};
  }
  /// What the buffer holds before does not count.
  host_reduction from_identity() const { return {of, false}; }
};

}  // namespace stretto

STRETTO_API_END
