// chart.hpp - lines over a common axis, in one or more panels above one another, as SVG that suits light and dark
// pages.
//
// Threads     a pure function.
#pragma once

#include <string>
#include <vector>

namespace stretto::tools {

struct chart {
  struct panel {
    std::string label;                       // of its vertical axis
    std::vector<std::vector<double>> lines;  // one for each name, a value at each point
    bool doubles = false;                    // its axis is divided by powers of 2; values are above 0
  };
  std::string title, across;       // what is above, and the horizontal axis
  std::vector<std::string> names;  // of lines, the same in all panels
  std::vector<panel> panels;
  std::vector<double> at = {};  // where the points of lines are; empty: 1, 2, ...
  bool doubles = false;         // the horizontal axis is divided by powers of 2; points are above 0
  double least = 1;             // where vertical axes begin
  double mark = 0;              // a dashed line across, if above the least
};

std::string to_svg(const chart& c);

}  // namespace stretto::tools
