// 38_conjugate_gradient.cpp - solves A x = b with a sparse matrix distributed by rows.
//
// This application reads a sparse symmetric matrix from a Matrix Market file and solves a system by conjugate
// gradients. It shows a mapper of your own: a function says which matrix entries belong to some rows. It helps readers
// who write iterative solvers.
//
// Sums over all rows add up blocks, whose number does not depend on the number of nodes, so neither do the results.
// Each iteration writes its sums to elements of its own, so that later iterations are submitted while earlier ones run.
// The program reads the residual once in ten iterations. The solver is in conjugate_gradient.hpp, which `stretto demo
// cg` uses too.
//
//     38_conjugate_gradient [NODES [FILE]]
//
// Started alone, the program simulates three nodes in one process, or NODES. `stretto run -n 4 38_conjugate_gradient`
// starts four processes instead.
//
// Output
//   poisson_10x10.mtx: 100 rows, 460 entries
//   40 iterations: a known solution is found, the residuals are those of a serial run
//   what the iterations gain is the norm of the solution (Hestenes and Stiefel, 1952)
//   the error is never above what the condition number of 48.37 allows
//   as read from the file: the Laplacian of a grid
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

#include "conjugate_gradient.hpp"
#include "matrix_market.hpp"
#include "on_nodes.hpp"

using namespace stretto;
using namespace conjugate_gradient;

void solve(const matrix& m, const std::string& name) {
  numbers x;
  for (int i = 0; i < m.rows; ++i) x.push_back(std::sin(i * i));
  const numbers b = times(m, x);
  const solution s = on_nodes(m, b, 1e-24 * dot(b, b)), same = serially(m, b, s.pq.size());
  if (is_dry_run() || this_node() != 0) return;

  std::printf("%s: %d rows, %zu entries\n", name.c_str(), m.rows, m.value.size());
  std::printf("%zu iterations: a known solution is%s found, the residuals are%s those of a serial run\n", s.pq.size(),
              difference(s.x, x) < 1e-9 ? "" : " NOT", difference(s.rr, same.rr) < 1e-9 * s.rr[0] ? "" : " NOT");
  const numbers error = errors(s);
  std::printf("what the iterations gain is%s the norm of the solution (Hestenes and Stiefel, 1952)\n",
              std::abs(error[0] / dot(x, b) - 1) < 1e-9 ? "" : " NOT");
  if (name != "poisson_10x10.mtx") return;

  const double condition = condition_of_poisson(10);
  bool is_so = true;
  for (std::size_t k = 0; k < error.size(); ++k)
    is_so = is_so && std::sqrt(error[k] / error[0]) <= allowed(condition, k) * (1 + 1e-9);
  std::printf("the error is %s above what the condition number of %.2f allows\n", is_so ? "never" : "NOT never",
              condition);
  const matrix grid = matrix_market::poisson(10);
  std::printf("as read from the file: %sthe Laplacian of a grid\n",
              grid.column == m.column && grid.value == m.value ? "" : "NOT ");
}

int main(int count, char** arguments) {
  const std::filesystem::path file =
      count > 2 ? arguments[2] : std::filesystem::path(__FILE__).parent_path() / "media/poisson_10x10.mtx";
  try {
    const matrix m = matrix_market::read(file);
    return run_on_nodes([&] { solve(m, file.filename().string()); }, count > 1 ? arguments[1] : nullptr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
