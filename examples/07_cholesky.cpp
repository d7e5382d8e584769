// 07_cholesky.cpp - a tiled Cholesky factorization whose tasks are ordered by events.
//
// This program factors a symmetric matrix A into L L'. Each tile has the event of its latest write. A task on tiles
// takes the events of these tiles as its preconditions, and its own event becomes that of the tile that it writes. It
// helps readers who know task dependences of OpenMP: here the program keeps the events itself.
//
// The program submits the whole graph without waiting for any task.
//
// Output
//   8 x 8 tiles of 24 x 24: 120 tasks
//   |A - L L'| / |A| is below 1e-14: yes
#include <cmath>
#include <cstdio>
#include <vector>

#include <stretto/stretto.hpp>

constexpr int tiles = 8, side = 24, rows = tiles * side;

using tile = std::vector<double>;  // side x side, row by row
using matrix = std::vector<tile>;  // tiles x tiles, row by row

void factor(tile& a) {
  for (int j = 0; j < side; ++j) {
    for (int k = 0; k < j; ++k)
      for (int i = j; i < side; ++i) a[i * side + j] -= a[i * side + k] * a[j * side + k];
    const double root = std::sqrt(a[j * side + j]);
    for (int i = j; i < side; ++i) a[i * side + j] /= root;
    for (int i = 0; i < j; ++i) a[i * side + j] = 0;
  }
}
// X such that X L' = A, in place.
void solve(const tile& l, tile& a) {
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      for (int k = 0; k < j; ++k) a[i * side + j] -= a[i * side + k] * l[j * side + k];
      a[i * side + j] /= l[j * side + j];
    }
}
// C -= A B'
void update(const tile& a, const tile& b, tile& c) {
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j)
      for (int k = 0; k < side; ++k) c[i * side + j] -= a[i * side + k] * b[j * side + k];
}

// Diagonally dominant, so that it has a factor.
double element(int i, int j) { return i == j ? 2.0 * rows : 1.0 / (1 + std::abs(i - j)) + std::cos(i * j); }

int main() {
  matrix a(tiles * tiles, tile(side * side));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) a[i / side * tiles + j / side][i % side * side + j % side] = element(i, j);

  stretto::runtime rt;
  const int tasks = rt.run([&] {
    std::vector<stretto::event> written(tiles * tiles);  // the default event: nothing to wait for
    int spawned = 0;
    const auto spawn = [&](int out, int in_1, int in_2, auto kernel) {
      written[out] = stretto::async(stretto::after(written[out], written[in_1], written[in_2]), kernel);
      ++spawned;
    };
    const auto at = [](int i, int j) { return i * tiles + j; };
    for (int k = 0; k < tiles; ++k) {
      const int kk = at(k, k);
      spawn(kk, kk, kk, [&a, kk] { factor(a[kk]); });
      for (int i = k + 1; i < tiles; ++i) spawn(at(i, k), kk, kk, [&a, kk, ik = at(i, k)] { solve(a[kk], a[ik]); });
      for (int i = k + 1; i < tiles; ++i)
        for (int j = k + 1; j <= i; ++j)
          spawn(at(i, j), at(i, k), at(j, k),
                [&a, ik = at(i, k), jk = at(j, k), ij = at(i, j)] { update(a[ik], a[jk], a[ij]); });
    }
    return spawned;
  });

  double wrong = 0, norm = 0;
  const auto l = [&](int i, int j) { return j > i ? 0.0 : a[i / side * tiles + j / side][i % side * side + j % side]; };
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j <= i; ++j) {
      double product = 0;
      for (int k = 0; k <= j; ++k) product += l(i, k) * l(j, k);
      wrong += std::pow(element(i, j) - product, 2);
      norm += std::pow(element(i, j), 2);
    }
  const bool right = std::sqrt(wrong / norm) < 1e-14;
  std::printf("%d x %d tiles of %d x %d: %d tasks\n", tiles, tiles, side, side, tasks);
  std::printf("|A - L L'| / |A| is below 1e-14: %s\n", right ? "yes" : "NO");
  return right ? 0 : 1;
}
