// conjugate_gradient.hpp - solves A x = b on buffers, for a sparse matrix by rows: what an example and `stretto demo
// cg` share.
//
// Threads     on_nodes is called inside run() of every node; the rest is pure.
// Source      M. Hestenes, E. Stiefel, "Methods of conjugate gradients for solving linear systems", J. Res. NBS 49
//             (1952).
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include <stretto/stretto.hpp>

#include "matrix_market.hpp"

namespace conjugate_gradient {

using namespace stretto;

// clang-format off
STRETTO_KERNEL(multiply, (in<int> first, in<int> column, in<double> value, in<double> p, out<double> q), {
  const int i = global_id(0);
  double sum = 0;
  for (int k = first(i); k < first(i + 1); ++k) sum += value(k) * p(column(k));
  q(i) = sum;
})
STRETTO_KERNEL(dot_of_blocks, (in<double> a, in<double> b, out<double> sums, int rows, int blocks), {
  const long long n = global_id(0);
  double sum = 0;
  for (long long i = n * rows / blocks; i < (n + 1) * rows / blocks; ++i) sum += a(i) * b(i);
  sums(n) = sum;
})
STRETTO_KERNEL(add_up, (in<double> sums, out<double> sum, int blocks), {
  double all = 0;
  for (int b = 0; b < blocks; ++b) all += sums(b);
  sum(global_id(0)) = all;
})
STRETTO_KERNEL(go_along, (inout<double> x, inout<double> r, in<double> p, in<double> q, in<double> rr, in<double> pq, int k), {
  const int i = global_id(0);
  const double length = pq(k) == 0 ? 0.0 : rr(k) / pq(k);
  x(i) += length * p(i);
  r(i) -= length * q(i);
})
STRETTO_KERNEL(turn, (inout<double> p, in<double> r, in<double> rr, int k), {
  const double share = rr(k) == 0 ? 0.0 : rr(k + 1) / rr(k);
  p(global_id(0)) = r(global_id(0)) + share * p(global_id(0));
})
// clang-format on

using matrix_market::matrix;
using numbers = std::vector<double>;
constexpr int blocks = 8, most = 1000;

struct solution {
  numbers x, rr, pq;  // rr and pq of each iteration: squares of the residual, and of the direction in the norm of A
};

/// Until the square of the residual is no more than `enough`, which is looked at once in ten iterations, or `most` are
/// done; the same on every node.
inline solution on_nodes(const matrix& m, const numbers& b, double enough) {
  const box rows(0, m.rows), entries(0, m.first[std::size_t(m.rows)]);
  const numbers zeros(b.size());
  const buffer<int> first(box(0, m.rows + 1), m.first.data()), column(entries, m.column.data());
  const buffer<double> value(entries, m.value.data()), x(rows, zeros.data()), r(rows, b.data()), p(rows, b.data()),
      q(rows), sums(box(0, blocks));
  const buffer<double> rr(box(0, most + 1), {.name = "rr"}), pq(box(0, most), {.name = "pq"});
  const auto ends_too = [](const box& part) { return box(part.min()[0], part.max()[0] + 1); };
  const auto entries_of = [&m](const box& part) {
    return box(m.first[std::size_t(part.min()[0])], m.first[std::size_t(part.max()[0])]);
  };
  const auto dot = [&](const auto& u, const auto& v, const auto& to, int k) {
    launch(dot_of_blocks, box(0, blocks), u(even_split), v(even_split), sums(one_to_one), m.rows, blocks);
    launch(add_up, box(k, k + 1), sums(all), to(one_to_one), blocks);
  };
  dot(r, r, rr, 0);
  int k = 0;
  for (double now = HUGE_VAL; k < most && now > enough;) {
    for (int ten = 0; ten < 10; ++ten, ++k) {
      launch(multiply, rows, first(ends_too), column(entries_of), value(entries_of), p(all), q(one_to_one));
      dot(p, q, pq, k);
      launch(go_along, rows, x(one_to_one), r(one_to_one), p(one_to_one), q(one_to_one), rr(fixed({k, k + 1})),
             pq(fixed({k, k + 1})), k);
      dot(r, r, rr, k + 1);
      launch(turn, rows, p(one_to_one), r(one_to_one), rr(fixed({k, k + 2})), k);
    }
    const auto left = rr.read({k, k + 1});
    if (!is_dry_run()) now = left.get().view()(k);
    else if (k >= 30) break;  // nothing is computed then, and nothing says when it is enough (example 40)
  }
  const auto to_vector = [](const buffer<double>& from, coordinate count) {
    const auto later = from.read({0, count});
    if (is_dry_run()) return numbers();
    const auto& seen = later.get();
    return numbers(&seen.view()(0), &seen.view()(0) + count);
  };
  return {to_vector(x, m.rows), to_vector(rr, k + 1), to_vector(pq, k)};
}

inline numbers times(const matrix& m, const numbers& p) {
  numbers q(p.size());
  for (std::size_t i = 0; i < q.size(); ++i)
    for (int k = m.first[i]; k < m.first[i + 1]; ++k)
      q[i] += m.value[std::size_t(k)] * p[std::size_t(m.column[std::size_t(k)])];
  return q;
}

inline double dot(const numbers& a, const numbers& b) {
  double all = 0;
  for (std::size_t n = 0, at = 0; n < blocks; ++n) {
    double sum = 0;
    for (; at < (n + 1) * a.size() / blocks; ++at) sum += a[at] * b[at];
    all += sum;
  }
  return all;
}

inline solution serially(const matrix& m, const numbers& b, std::size_t iterations) {
  solution s{numbers(b.size()), {dot(b, b)}, {}};
  numbers r = b, p = b;
  for (std::size_t k = 0; k < iterations; ++k) {
    const numbers q = times(m, p);
    s.pq.push_back(dot(p, q));
    const double length = s.pq[k] == 0 ? 0 : s.rr[k] / s.pq[k];
    for (std::size_t i = 0; i < p.size(); ++i) s.x[i] += length * p[i], r[i] -= length * q[i];
    s.rr.push_back(dot(r, r));
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + (s.rr[k] == 0 ? 0 : s.rr[k + 1] / s.rr[k]) * p[i];
  }
  return s;
}

inline double difference(const numbers& a, const numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::abs(a[i] - b[i]));
  return most;
}

/// The square of the error before each iteration, in the norm of A: what the iterations from there on gain.
inline numbers errors(const solution& s) {
  numbers error(s.rr.size());
  for (std::size_t k = s.pq.size(); k-- > 0;) error[k] = error[k + 1] + (s.pq[k] > 0 ? s.rr[k] * s.rr[k] / s.pq[k] : 0);
  return error;
}

/// The condition number of the Laplacian of a grid, matrix_market::poisson(side).
inline double condition_of_poisson(int side) { return std::pow(std::tan(std::numbers::pi / (2 * (side + 1))), -2); }

/// How much of the error can be left after `k` iterations, for a condition number.
inline double allowed(double condition, std::size_t k) {
  const double root = std::sqrt(condition);
  return 2 * std::pow((root - 1) / (root + 1), static_cast<double>(k));
}

}  // namespace conjugate_gradient
