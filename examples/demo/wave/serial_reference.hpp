// serial_reference.hpp - the same simulation as one plain loop over the whole field: the reference for results and
// speed.
//
// Threads     one caller at a time per object.
#pragma once

#include <functional>

#include "demo/wave/problem.hpp"

namespace stretto::wave {

struct serial_result {
  field last, before_last;  // u after the last step, and one step earlier
  double seconds = 0;       // of the stepping alone
  double cells_per_second = 0;
};

/// Steps a field that starts at rest.
///
///   after_step   if given, called with each new field and the number of steps done; its time is not counted
serial_result run_serial(const problem& wave, const std::function<void(const field&, int)>& after_step = nullptr);

/// The largest |a - b| over all cells; infinite if one of them is not a number.
double largest_difference(field_view<const float> a, field_view<const float> b);
/// The largest |u|.
double largest_of(field_view<const float> u);
/// How much devices may differ, which may round otherwise in the last place of each step; of the largest pressure.
inline constexpr double tolerance_on_devices = 1e-4;

}  // namespace stretto::wave
