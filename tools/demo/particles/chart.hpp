// chart.hpp - lines over a common axis, in one or more panels above one another, as SVG that suits light and dark pages.
//
// Threads     a pure function.
#pragma once

#include <string>
#include <vector>

namespace particles {

struct chart {
  struct panel {
    std::string label;                       // of its vertical axis
    std::vector<std::vector<double>> lines;  // values at 1, 2, ...; one line for each name
  };
  std::string title, across;       // what is above, and the horizontal axis
  std::vector<std::string> names;  // of lines, the same in all panels
  std::vector<panel> panels;
  double least = 1;                // where vertical axes begin
  double mark = 0;                 // a dashed line across, if above the least
};

std::string to_svg(const chart& c);

}  // namespace particles
