// 16_matrix_product.cpp - products of distributed matrices, computed in tiles.
//
// This program shows launches that read rows and columns. The mapper slice(1) is the whole row of an element, and
// slice(0) its whole column. A tile of the product therefore needs its rows of the left factor and its columns of the
// right one, and the runtime sends them. The mapper transposed exchanges the two axes. It helps readers who know
// ScaLAPACK or write distributed linear algebra.
//
// The kernels are in matrix_product.hpp, which `stretto demo matrix` uses too.
//
// Started alone, the program simulates three nodes in one process, or as many as its argument says. `stretto run -n 4
// 16_matrix_product` starts four processes instead.
//
// Output
//   (90 x 71) times (71 x 53), times its own transpose: as loops
//   a Hadamard matrix times its transpose: 64 times the identity
#include <bit>
#include <cstdio>
#include <vector>

#include "matrix_product.hpp"
#include "on_nodes.hpp"

using namespace stretto;
using namespace matrix_product;

/// A matrix of small whole numbers, so that sums are exact in any order; and the same for the host.
using numbers = std::vector<std::vector<double>>;
template <class F>
matrix fill(int rows, int columns, F f, numbers& same) {
  std::vector<double> dense;
  same.assign(std::size_t(rows), {});
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) dense.push_back(f(i, j)), same[std::size_t(i)].push_back(f(i, j));
  return matrix(box({0, 0}, {rows, columns}), dense.data());
}

numbers by_loops(const numbers& a, const numbers& b) {
  numbers c(a.size(), std::vector<double>(b[0].size()));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b[0].size(); ++j)
      for (std::size_t k = 0; k < b.size(); ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

template <class F>
void tell(const char* what, const matrix& m, F expected) {
  const auto later = m.read();
  if (is_dry_run()) return;  // nothing is computed then (example 40)
  const auto& seen = later.get();
  bool is_so = true;
  for (coordinate i = 0; i < rows(m); ++i)
    for (coordinate j = 0; j < columns(m); ++j)
      is_so = is_so && seen.view()(i, j) == expected(std::size_t(i), std::size_t(j));
  if (this_node() == 0) std::printf("%s%s\n", what, is_so ? "" : ": NO");
}

void program() {
  numbers a, b, h;
  const matrix left = fill(90, 71, [](int i, int j) { return (i * 7 + j * 3) % 11 - 5; }, a);
  const matrix right = fill(71, 53, [](int i, int j) { return (i * 5 + j * 2) % 13 - 6; }, b);
  const matrix c = times(left, right);
  const numbers ab = by_loops(a, b);
  numbers turned(53, std::vector<double>(90));
  for (std::size_t i = 0; i < 90; ++i)
    for (std::size_t j = 0; j < 53; ++j) turned[j][i] = ab[i][j];
  tell("(90 x 71) times (71 x 53), times its own transpose: as loops", times(c, transposed_of(c)),
       [all = by_loops(ab, turned)](std::size_t i, std::size_t j) { return all[i][j]; });

  const matrix hadamard =
      fill(64, 64, [](int i, int j) { return std::popcount(unsigned(i & j)) % 2 ? -1 : 1; }, h);  // Sylvester's
  tell("a Hadamard matrix times its transpose: 64 times the identity", times(hadamard, transposed_of(hadamard)),
       [](std::size_t i, std::size_t j) { return i == j ? 64 : 0; });
}

int main(int count, char** arguments) { return run_on_nodes(program, count > 1 ? arguments[1] : nullptr); }
