// demo_cg.cpp - stretto demo cg: a system of linear equations, of a file of the Matrix Market or made up, by conjugate
// gradients.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <stretto/error.hpp>
#include <stretto/job.hpp>

#include "chart/chart.hpp"
#include "conjugate_gradient.hpp"
#include "demo/stopwatch.hpp"
#include "stretto/demo_on_buffers.hpp"
#include "stretto/demos.hpp"

namespace stretto::tools {
namespace {

using conjugate_gradient::numbers, conjugate_gradient::solution, matrix_market::matrix;

/// Conjugate gradients are for symmetric ones.
bool is_symmetric(const matrix& m) {
  std::vector<matrix_market::entry> turned;
  for (int i = 0; i < m.rows; ++i)
    for (auto k = static_cast<std::size_t>(m.first[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(m.first[static_cast<std::size_t>(i) + 1]); ++k)
      turned.push_back({m.column[k], i, m.value[k]});
  const matrix other = matrix_market::from_entries(m.columns, m.rows, std::move(turned));
  return m.rows == m.columns && m.first == other.first && m.column == other.column && m.value == other.value;
}

matrix read_matrix(const std::string& file) {
  const auto refused = [](const std::string& why) {
    return error("W03", "stretto demo cg cannot be run like this")
        .because("--matrix: " + why)
        .remedy("a symmetric matrix whose eigenvalues are above 0");
  };
  matrix m;
  try {
    m = matrix_market::read(std::filesystem::path(file));
  } catch (const std::runtime_error& e) {
    throw refused(e.what());
  }
  if (!is_symmetric(m)) throw refused(file + " is not symmetric");
  return m;
}

/// `condition` is 0 where nobody knows it.
std::string residuals_chart(const solution& s, double condition) {
  chart c{.title = "Conjugate gradients: what is left after each iteration",
          .across = "iterations",
          .names = {"residual", "error in the norm of A"},
          .panels = {{"power of 10", {{}, {}}}},
          .at = {},
          .least = -15,
          .mark = -15};
  const numbers error = conjugate_gradient::errors(s);
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

}  // namespace

int demo_cg(const invocation& call) {
  demo_on_buffers demo(call);
  int side = 48;
  std::string file;
  demo.words()
      .add_option("--matrix", file, "of the Matrix Market, symmetric; else the Laplacian of a grid")
      ->type_name("FILE");
  demo.number("--side", side, "points along each side of that grid", {2, 500});
  if (const auto done = demo.read()) return *done;
  const matrix m = file.empty() ? matrix_market::poisson(side) : read_matrix(file);
  return demo.run([&] {
    numbers x;
    for (int i = 0; i < m.rows; ++i) x.push_back(std::sin(static_cast<double>(i) * i));
    const numbers b = conjugate_gradient::times(m, x);
    const stopwatch clock;
    const solution s = conjugate_gradient::on_nodes(m, b, 1e-24 * conjugate_gradient::dot(b, b));
    const double seconds = clock.seconds();
    if (this_node() != 0) return true;

    const solution same = conjugate_gradient::serially(m, b, s.pq.size());
    const double differs = conjugate_gradient::difference(s.rr, same.rr) / s.rr[0],
                 residual = std::sqrt(s.rr.back() / s.rr[0]);
    const double gained = conjugate_gradient::errors(s)[0] / conjugate_gradient::dot(x, b);  // 1 (Hestenes and Stiefel)
    const bool is_solved = residual < 1e-11 && std::abs(gained - 1) < 1e-6, is_so = differs < 1e-9;
    const auto picture = demo.file("cg.svg");
    write_text(picture, residuals_chart(s, file.empty() ? conjugate_gradient::condition_of_poisson(side) : 0));

    if (demo.json()) {
      demo_on_buffers::print({{"rows", m.rows},
                              {"entries", m.value.size()},
                              {"nodes", job_nodes()},
                              {"iterations", s.pq.size()},
                              {"residual", residual},
                              {"gained", gained},
                              {"largest_difference", differs},
                              {"seconds", seconds}});
    } else {
      fmt::print("{} equations, {} coefficients, {} iterations, {}: {:.3f} s\n", m.rows, m.value.size(), s.pq.size(),
                 demo.on_nodes(), seconds);
      fmt::print("{}, to a residual of {:.2g}; residuals {} those of a serial run, to {:.2g}\n  {}\n",
                 is_solved ? "solved" : "NOT solved", residual, is_so ? "are" : "are NOT", differs, picture.string());
    }
    return is_solved && is_so;
  });
}

}  // namespace stretto::tools
