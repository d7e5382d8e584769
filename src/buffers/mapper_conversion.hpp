// mapper_conversion.hpp - from a mapper, as programs say it, to a mapping of the graphs.
#pragma once

#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

graph::mapping mapping_of(buffers_state& s, const detail::range_mapper& m, const box& elements);
/// What checks of a launch know of it.
detail::mapper_form form_of(const detail::range_mapper& m) noexcept;

}  // namespace stretto::buffers
