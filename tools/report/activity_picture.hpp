// activity_picture.hpp - the activity of ranks and devices of several runs over time, above one another, as SVG that
// suits light and dark pages.
//
// Threads     a pure function.
#pragma once

#include <string>
#include <vector>

#include "report/region_activity.hpp"

namespace stretto::report {

struct activity_panel {
  std::string title;
  const region_activity* of;
};

/// All panels have one scale: each shows so much time around its middle kernel.
std::string activity_picture(const std::string& title, const std::vector<activity_panel>& panels, nanoseconds shown);

}  // namespace stretto::report
