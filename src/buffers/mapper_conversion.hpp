// mapper_conversion.hpp - converts a public mapper to a mapping of the graphs.
#pragma once

#include "buffers/buffers_state.hpp"

namespace stretto::buffers {

graph::mapping mapping_of(buffers_state& s, const detail::range_mapper& m, const box& elements);
/// The form of the mapper for checks of a launch.
detail::mapper_form form_of(const detail::range_mapper& m) noexcept;

}  // namespace stretto::buffers
