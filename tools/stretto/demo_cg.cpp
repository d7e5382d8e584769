// demo_cg.cpp - stretto demo cg: a system of linear equations, of a file of the Matrix Market or made up, by conjugate
// gradients.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <stretto/error.hpp>
#include <stretto/job.hpp>

#include "demo/on_buffers/equations.hpp"
#include "demo/stopwatch.hpp"
#include "stretto/demo_on_buffers.hpp"
#include "stretto/demos.hpp"

namespace stretto::tools {
namespace {

using conjugate_gradient::numbers, conjugate_gradient::solution, matrix_market::matrix;

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
  if (!on_buffers::is_symmetric(m)) throw refused(file + " is not symmetric");
  return m;
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
    write_text(picture,
               on_buffers::residuals_chart(s, file.empty() ? conjugate_gradient::condition_of_poisson(side) : 0));

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
