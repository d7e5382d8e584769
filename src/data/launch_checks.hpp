// launch_checks.hpp - checks of a launch's range and mappers, made within the call; for objects and buffers.
//
// Threads     pure.
// Cost        check_axes: some comparisons; texts are made for errors only.
#pragma once

#include <stretto/kernel_code.hpp>
#include <stretto/mapper.hpp>

#include <functional>
#include <source_location>
#include <string>
#include <string_view>

#include "geometry/use_conflict.hpp"

namespace stretto::data {

struct checked_launch {
  std::string_view name;
  const kernel_code* code = nullptr;  // null: a function on the host, called for each chunk
  box items = {};                     // of the range
  extent group = unit;                // items of a group
  std::source_location where = {};
};

struct checked_argument {
  std::size_t number = 0;  // in the launch, from 0
  access how = access::in;
  box elements = {};
  int axes = 1;
  detail::mapper_form form = {};
};

/// `object "u"`; called for an error.
using array_text = std::function<std::string()>;

/// throws   B32 if the axes of range, mapper and array do not fit, B33 if one_to_one gets items that the array has no
/// element for
void check_axes(const checked_launch& l, const checked_argument& a, const array_text& array);

/// Throws B31.
[[noreturn]] void refuse_conflict(const checked_launch& l, const geometry::use_conflict& found,
                                  const checked_argument& reader, const checked_argument& writer,
                                  const array_text& array);

/// The grain of cuts along each axis, in items: the least common multiple of the group's length and `multiple`, so that
/// no cut divides a group. Throws B35 if `multiple` is below 1 on an axis.
extent grain_of(const extent& group, const extent& multiple, const box& range, const std::source_location& where);

}  // namespace stretto::data
