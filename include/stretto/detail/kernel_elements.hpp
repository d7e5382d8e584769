// kernel_elements.hpp - array parameters of kernels on the host: their elements, checked or not.
#pragma once

#include <stretto/kernel_code.hpp>
#include <stretto/short_vector.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

STRETTO_API_BEGIN

namespace stretto {

/// The exception of a checked kernel for an index outside of an array. host_body converts it to K01.
struct index_out_of_range {
  /// A bit of `parameter`: the array is a local_array, and the other bits are its number.
  static constexpr unsigned is_local_array = 1u << 31;

  unsigned parameter;
  std::int64_t index[3];
  std::int64_t length[3] = {0, 0, 0};  ///< of a local_array; 0 beyond its axes
};

namespace kernels {

/// The types of array elements and values of kernels: a number, a bool, a short vector, or a structure of these, which
/// has the same layout on every device.
template <class T>
concept device_type = std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T> && !std::is_pointer_v<T> &&
                      !std::same_as<T, long double>;

/// The kind of elements; of a short vector, that of its components.
template <class T>
constexpr element_kind element_kind_of() noexcept {
  if constexpr (stretto::detail::short_vector_type<T>)
    return element_kind_of<typename stretto::detail::component<T>::type>();
  else if constexpr (std::is_floating_point_v<T>) return element_kind::floating;
  else if constexpr (std::is_integral_v<T>)
    return std::is_signed_v<T> ? element_kind::integer : element_kind::unsigned_integer;
  else return element_kind::structure;
}
/// The size of a component of a short vector in bytes; 0 for every other type.
template <class T>
constexpr std::uint32_t component_bytes_of() noexcept {
  if constexpr (stretto::detail::short_vector_type<T>) return sizeof(typename stretto::detail::component<T>::type);
  else return 0;
}

/// The elements of an array parameter. T is const if they are only read.
template <class T, std::size_t D, bool Checked>
class elements {
 public:
  using element = std::remove_const_t<T>;
  using pointer = T*;
  static constexpr std::size_t axes = D;

  elements() = default;
  elements(const kernel_argument& a, unsigned parameter) noexcept
      : origin_(reinterpret_cast<T*>(a.origin)), argument_(&a), parameter_(parameter) {
    for (std::size_t i = 0; i < D; ++i) stride_[i] = a.stride[i];
  }
  template <class U>
    requires(std::same_as<const U, T> && !std::is_const_v<U>)
  elements(const elements<U, D, Checked>& other) noexcept  // an array that may be written may be read
      : origin_(other.origin_), argument_(other.argument_), parameter_(other.parameter_) {
    for (std::size_t i = 0; i < D; ++i) stride_[i] = other.stride_[i];
  }

  template <class... Index>
    requires(sizeof...(Index) == D && (std::is_convertible_v<Index, std::int64_t> && ...))
  T& operator()(Index... index) const noexcept(!Checked) {
    const std::int64_t at[] = {static_cast<std::int64_t>(index)...};
    if constexpr (Checked) check(at);
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < D; ++i) offset += at[i] * stride_[i];
    return origin_[offset];
  }

  /// States that elements along the last axis are contiguous, as the caller has checked.
  void assume_dense_rows() noexcept { stride_[D - 1] = 1; }
  /// Replaces the pointer by an equal one with better alias information.
  void reach_by(T* origin) noexcept { origin_ = origin; }

 private:
  template <class, std::size_t, bool>
  friend class elements;

  void check(const std::int64_t* at) const {
    bool inside = true;
    for (std::size_t i = 0; i < D; ++i) inside = inside && at[i] >= argument_->min[i] && at[i] < argument_->max[i];
    inside = inside && (!argument_->allowed || is_allowed(*argument_->allowed, at, D));
    if (inside) {
      if (argument_->touched) note_touched(*argument_->touched, at, D);
      if (argument_->shadow) note_use(*argument_->shadow, address_of(at), at, D);
      return;
    }
    index_out_of_range outside{parameter_, {}};
    for (std::size_t i = 0; i < D; ++i) outside.index[i] = at[i];
    throw outside;
  }

  std::byte* address_of(const std::int64_t* at) const noexcept {
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < D; ++i) offset += at[i] * stride_[i];
    return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(origin_ + offset));
  }

  T* origin_ = nullptr;
  std::int64_t stride_[D] = {};
  const kernel_argument* argument_ = nullptr;
  unsigned parameter_ = 0;
};

/// A parameter type in, out, inout, reduce or local, of plain or checked bodies.
template <class P>
concept array_parameter = requires {
  typename P::element;
  requires std::same_as<decltype(P::mode), const access>;
};

}  // namespace kernels
}  // namespace stretto

STRETTO_API_END
