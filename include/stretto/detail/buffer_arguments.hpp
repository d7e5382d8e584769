// buffer_arguments.hpp - the untyped form of arguments of launches and host tasks on buffers, for the compiled core.
#pragma once

#include <stretto/detail/buffer_handle.hpp>
#include <stretto/detail/range_mapper.hpp>
#include <stretto/instance.hpp>
#include <stretto/kernel_code.hpp>
#include <stretto/reduce.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

STRETTO_API_BEGIN

namespace stretto::detail {

/// The operator on elements of a buffer: both operands are elements, so that its fold also serves as its apply.
template <class Op>
inline constexpr reduction_kind folding_of = [] {
  reduction_kind k = kind_of<Op>;
  k.lhs_bytes = k.rhs_bytes;
  k.apply = k.fold;
  k.apply_log = k.fold_log;
  return k;
}();

/// An argument of a launch: a buffer with a mapper or with an operator of a reduction; or a value; or a size.
struct buffer_item {
  const buffer_handle* buffer = nullptr;
  const range_mapper* by = nullptr;
  const reduction_kind* fold = nullptr;
  bool includes_current = true;  // a reduction combines the present elements, too
  const void* value = nullptr;
  std::int64_t local_elements = 0;
};

/// The elements of an array that a host task may access.
struct host_elements {
  std::byte* first;
  data::layout shape;
  const view_limits* limits = nullptr;  // of a checked view
};
/// The type of elements, as far as the checks of host tasks need it.
enum class element_kind : std::uint8_t { any, float32, float64 };
template <class T>
inline constexpr element_kind kind_of_element = std::same_as<T, float>    ? element_kind::float32
                                                : std::same_as<T, double> ? element_kind::float64
                                                                          : element_kind::any;
struct host_use_item {
  const buffer_handle* buffer;
  const range_mapper* by;
  access how;
  const reduction_kind* fold = nullptr;
  bool includes_current = true;
  element_kind elements = element_kind::any;
};

}  // namespace stretto::detail

STRETTO_API_END
