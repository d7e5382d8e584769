// buffer_view.hpp - host access to elements of a buffer on this node: the result of buffer::read().
//
//     float corner(const buffer<float, 2>& u) {
//       buffer_accessor<float, 2> elements = u.read().get();
//       const float value = elements.view()(0, 0);
//       elements.release();  // launches that write u no longer wait
//       return value;
//     }
//
// Threads     one task at a time.
// Cost        an element: one multiplication and one addition per axis.
#pragma once

#include <stretto/detail/buffer_accessor_state.hpp>
#include <stretto/instance.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

STRETTO_API_BEGIN

namespace stretto {

template <class T, std::size_t D>
class buffer;

/// A view of the elements that were read. If the program is checked (STRETTO_CHECK=1), an access by coordinates throws
/// B27 for an element that was not read; rows are not checked. It converts to view<const T, D>, which checks nothing.
template <class T, std::size_t D>
class seen_view : public stretto::view<const T, D> {
 public:
  /// For Stretto itself; buffer_accessor::view() makes views.
  seen_view(const T* first, const data::layout& shape, const detail::view_limits* limits) noexcept
      : stretto::view<const T, D>(first, shape), limits_(limits) {}
  /// The element at these coordinates. Throws B27 if the program is checked and the element was not read.
  template <class... Index>
    requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
  const T& operator()(Index... index) const {
    return at({static_cast<std::int64_t>(index)...});
  }
  /// The element at these coordinates, given as an array. Throws as operator().
  const T& at(const std::array<std::int64_t, D>& p) const {
    if (limits_) [[unlikely]]
      detail::look_at(*limits_, p.data(), D);
    return stretto::view<const T, D>::at(p);
  }

 private:
  const detail::view_limits* limits_;
};

/// Read access to elements of a buffer on this node, until it is destroyed or release() is called. Launches that write
/// them on this node wait until then. A task must release it before it waits for such a launch, or it waits forever.
/// Move-only.
template <class T, std::size_t D>
class buffer_accessor {
 public:
  /// A view of the elements, valid until release(). Not after release(). Throws K07 for elements without a value, if
  /// the program is checked.
  seen_view<T, D> view() const {
    data::layout shape;
    auto* const first = reinterpret_cast<const T*>(detail::first_of(*is_, shape));
    return {first, shape, detail::limits_of(*is_)};
  }
  /// Ends the access.
  void release() noexcept { is_.reset(); }
  /// Whether the access has not been released.
  explicit operator bool() const noexcept { return is_ != nullptr; }

 private:
  friend class buffer<T, D>;
  explicit buffer_accessor(detail::buffer_accessor_pointer is) noexcept : is_(std::move(is)) {}
  detail::buffer_accessor_pointer is_;
};

}  // namespace stretto

STRETTO_API_END
