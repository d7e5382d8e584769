#include "demo/on_buffers/equations.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "chart/chart.hpp"

namespace on_buffers {

bool is_symmetric(const matrix_market::matrix& m) {
  std::vector<matrix_market::entry> turned;
  for (int i = 0; i < m.rows; ++i)
    for (auto k = static_cast<std::size_t>(m.first[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(m.first[static_cast<std::size_t>(i) + 1]); ++k)
      turned.push_back({m.column[k], i, m.value[k]});
  const matrix_market::matrix other = matrix_market::from_entries(m.columns, m.rows, std::move(turned));
  return m.rows == m.columns && m.first == other.first && m.column == other.column && m.value == other.value;
}

std::string residuals_chart(const conjugate_gradient::solution& s, double condition) {
  stretto::tools::chart c{.title = "Conjugate gradients: what is left after each iteration",
                          .across = "iterations",
                          .names = {"residual", "error in the norm of A"},
                          .panels = {{"power of 10", {{}, {}}}},
                          .at = {},
                          .least = -15,
                          .mark = -15};
  const conjugate_gradient::numbers error = conjugate_gradient::errors(s);
  const auto power = [](double square, double of) {
    return square > 0 && of > 0 ? std::max(-15.0, std::log10(square / of) / 2) : -15.0;
  };
  auto& lines = c.panels[0].lines;
  if (condition > 0) c.names.push_back("what the condition number allows"), lines.emplace_back();
  for (std::size_t k = 0; k < s.pq.size(); ++k) {
    c.at.push_back(static_cast<double>(k));
    lines[0].push_back(power(s.rr[k], s.rr[0]));
    lines[1].push_back(power(error[k], error[0]));
    if (condition > 0) lines[2].push_back(std::max(-15.0, std::log10(conjugate_gradient::allowed(condition, k))));
  }
  return to_svg(c);
}

}  // namespace on_buffers
