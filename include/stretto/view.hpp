// view.hpp - multidimensional views of array elements for host code.
//
//     void set_first_elements(const instance<float, 2>& u) {  // an instance that exists
//       view<float, 2> v = u.view();
//       for (auto i = v.min(0); i < v.max(0); ++i)
//         for (float& x : v.row(i)) x = 0;
//       v(1, 2) = 1.0f;
//     }
//     float checked(const instance<float, 2>& u, coordinate i, coordinate j) {
//       auto w = u.view<bounds::checked>();
//       return w(i, j);  // throws D02 outside of the box
//     }
//
// Threads     values. A view does not synchronise: the program ensures that no other task writes the elements.
// Memory      a view is valid as long as its array.
// Cost        an element: one multiplication and one addition per axis.
#pragma once

#include <stretto/array_layout.hpp>
#include <stretto/box.hpp>
#include <stretto/plain_value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

namespace detail {

[[noreturn]] void out_of_bounds(const point& at, const box& box, unsigned dimensions);
/// The elements that a checked view allows, if they are no box, and the function that throws for the others.
struct view_limits {
  std::vector<box> allowed;
  std::function<void(const point& at)> refuse;
};
[[noreturn]] void row_not_contiguous(std::int64_t stride_bytes, std::size_t element_bytes);

}  // namespace detail

/// Whether a view checks every coordinate.
enum class bounds : std::uint8_t { unchecked, checked };

/// The elements of an array in host memory, accessed by coordinates. Views of instances, objects and buffers are of
/// this type. With bounds::checked, an access outside of the box throws D02.
template <class T, std::size_t D = 1, bounds Check = bounds::unchecked>
class view {
 public:
  /// A view of the elements of this layout; `first` is the element with the least coordinates.
  view(T* first, const data::layout& shape) noexcept : box_(shape.box) {
    auto* at = reinterpret_cast<byte*>(first);
    for (int a = 0; a < static_cast<int>(D); ++a) {
      stride_[static_cast<std::size_t>(a)] = shape.stride[a];
      at -= shape.box.min()[a] * shape.stride[a];
    }
    origin_ = at;
  }
  /// A checked view that allows the elements of `limits` only.
  view(T* first, const data::layout& shape, const detail::view_limits* limits) noexcept
    requires(Check == bounds::checked)
      : view(first, shape) {
    limits_ = limits;
  }
  /// The same view without checks.
  operator view<T, D>() const noexcept
    requires(Check == bounds::checked)
  {
    data::layout shape{box_, {}, sizeof(T)};
    byte* first = origin_;
    for (std::size_t a = 0; a < D; ++a) {
      shape.stride[a] = stride_[a];
      first += box_.min()[a] * stride_[a];
    }
    return {reinterpret_cast<T*>(first), shape};
  }

  /// The element at these coordinates. Throws D02 if the view is checked and they lie outside of the box; otherwise
  /// never.
  template <class... Index>
    requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
  T& operator()(Index... index) const noexcept(Check == bounds::unchecked) {
    return at({static_cast<std::int64_t>(index)...});
  }
  /// The element at these coordinates, given as an array. Throws as operator().
  T& at(const std::array<std::int64_t, D>& p) const noexcept(Check == bounds::unchecked) {
    if constexpr (Check == bounds::checked) check(p);
    std::int64_t offset = 0;
    for (std::size_t a = 0; a < D; ++a) offset += p[a] * stride_[a];
    return *reinterpret_cast<T*>(origin_ + offset);
  }

  /// The row at these coordinates of the first D-1 axes: contiguous elements from min(D-1) to max(D-1). Throws D10 if
  /// the last axis is not contiguous.
  template <class... Index>
    requires(sizeof...(Index) + 1 == D)
  std::span<T> row(Index... index) const {
    const coordinate first = box_.min()[D - 1], count = box_.length(D - 1);
    if (count > 1 && stride_[D - 1] != static_cast<std::int64_t>(sizeof(T)))
      detail::row_not_contiguous(stride_[D - 1], sizeof(T));
    return {count > 0 ? &at({static_cast<std::int64_t>(index)..., first}) : nullptr, static_cast<std::size_t>(count)};
  }

  /// The first coordinate along an axis.
  std::int64_t min(std::size_t axis) const noexcept { return box_.min()[axis]; }
  /// One past the last coordinate along an axis.
  std::int64_t max(std::size_t axis) const noexcept { return box_.max()[axis]; }
  /// Bytes from an element to the next one along an axis.
  std::int64_t stride_bytes(std::size_t axis) const noexcept { return stride_[axis]; }
  /// The number of elements.
  std::uint64_t size() const noexcept { return box_.volume(); }

 private:
  using byte = std::conditional_t<std::is_const_v<T>, const char, char>;

  void check(const std::array<std::int64_t, D>& p) const {
    point coordinates;
    for (std::size_t i = 0; i < D; ++i) coordinates[i] = p[i];
    if (limits_) {
      for (const box& b : limits_->allowed)
        if (b.contains(coordinates)) return;
      limits_->refuse(coordinates);
    }
    if (!box_.contains(coordinates)) detail::out_of_bounds(coordinates, box_, D);
  }

  byte* origin_;  // the address that the element at point 0 has, or would have
  std::array<std::int64_t, D> stride_;
  box box_;
  struct none {
    constexpr none(std::nullptr_t = nullptr) noexcept {}
  };
  [[no_unique_address]] std::conditional_t<Check == bounds::checked, const detail::view_limits*, none> limits_ =
      nullptr;
};

namespace detail {
template <class T, std::size_t D, bounds Check>
inline constexpr bool holds_address<view<T, D, Check>> = true;
}

}  // namespace stretto

STRETTO_API_END
