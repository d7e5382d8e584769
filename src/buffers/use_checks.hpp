// use_checks.hpp - checks that the items of a launch or host task do not read what others write, and that ranges fit,
// once for each shape of launch.
//
// Threads     pure.
// Cost        see geometry/use_conflict.hpp; only if a buffer is both read and written, by mappers that do not keep
//             items apart.
#pragma once

#include <span>

#include "buffers/buffers_state.hpp"
#include "data/launch_checks.hpp"

namespace stretto::buffers {

struct argument_use {
  std::size_t number = 0;  // number of the argument in the call
  access how = access::in;
  const buffer_record* of = nullptr;
  const detail::range_mapper* by = nullptr;
};

/// `uses`: one for each access of the task, in their order.
///
///   throws   B31 if items read elements that other items write, B32 and B33 if range, mapper and buffer do not fit
void check_uses(const graph::task& t, std::span<const argument_use> uses, const data::checked_launch& l);

}  // namespace stretto::buffers
