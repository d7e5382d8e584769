// 38_conjugate_gradient.cpp - conjugate gradients; the sparse matrix is distributed by rows.
//
// Where the entries of some rows lie is in the matrix itself: a mapper that is a function of the program says it. Sums
// over all rows are those of blocks, whose number does not depend on how many nodes there are: nor does the result.
// Each iteration has elements of its own for its sums, so iterations are said ahead while earlier ones run; whether it
// is enough is looked at once in ten. The program is conjugate_gradient.hpp, which `stretto demo cg` shares.
//
//     38_conjugate_gradient [NODES [FILE]]
//
// Alone it takes three simulated nodes; `stretto run -n 4 38_conjugate_gradient` takes four processes.
//
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
