// 38_conjugate_gradient.cpp - solves A x = b by conjugate gradients, for a sparse matrix of a Matrix Market file, distributed by rows.
//
// Where the entries of some rows lie is in the matrix itself: a mapper that is a function of the program says it. Sums over all rows are those of
// blocks, whose number does not depend on how many nodes there are: nor does the result. Each iteration has elements of its own for its sums, so
// iterations are said ahead while earlier ones run; whether it is enough is looked at once in ten.
//
//     38_conjugate_gradient [NODES [FILE]]      alone, three simulated nodes; `stretto run -n 4 38_conjugate_gradient` takes four processes
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
#include <numbers>
#include <string>
#include <vector>

#include "matrix_market.hpp"
#include "on_nodes.hpp"

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

solution on_nodes(const matrix& m, const numbers& b, double enough) {
  const box rows(0, m.rows), entries(0, m.first[std::size_t(m.rows)]);
  const numbers zeros(b.size());
  const buffer<int> first(box(0, m.rows + 1), m.first.data()), column(entries, m.column.data());
  const buffer<double> value(entries, m.value.data()), x(rows, zeros.data()), r(rows, b.data()), p(rows, b.data()), q(rows), sums(box(0, blocks));
  const buffer<double> rr(box(0, most + 1), {.name = "rr"}), pq(box(0, most), {.name = "pq"});
  const auto ends_too = [](const box& part) { return box(part.min()[0], part.max()[0] + 1); };
  const auto entries_of = [&m](const box& part) { return box(m.first[std::size_t(part.min()[0])], m.first[std::size_t(part.max()[0])]); };
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
      launch(go_along, rows, x(one_to_one), r(one_to_one), p(one_to_one), q(one_to_one), rr(fixed({k, k + 1})), pq(fixed({k, k + 1})), k);
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

numbers times(const matrix& m, const numbers& p) {
  numbers q(p.size());
  for (std::size_t i = 0; i < q.size(); ++i)
    for (int k = m.first[i]; k < m.first[i + 1]; ++k) q[i] += m.value[std::size_t(k)] * p[std::size_t(m.column[std::size_t(k)])];
  return q;
}

double dot(const numbers& a, const numbers& b) {
  double all = 0;
  for (std::size_t n = 0, at = 0; n < blocks; ++n) {
    double sum = 0;
    for (; at < (n + 1) * a.size() / blocks; ++at) sum += a[at] * b[at];
    all += sum;
  }
  return all;
}

solution serially(const matrix& m, const numbers& b, std::size_t iterations) {
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

double difference(const numbers& a, const numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::abs(a[i] - b[i]));
  return most;
}

void solve(const matrix& m, const std::string& name) {
  numbers x;
  for (int i = 0; i < m.rows; ++i) x.push_back(std::sin(i * i));
  const numbers b = times(m, x);
  const solution s = on_nodes(m, b, 1e-24 * dot(b, b)), same = serially(m, b, s.pq.size());
  if (is_dry_run() || this_node() != 0) return;

  std::printf("%s: %d rows, %zu entries\n", name.c_str(), m.rows, m.value.size());
  std::printf("%zu iterations: a known solution is%s found, the residuals are%s those of a serial run\n", s.pq.size(),
              difference(s.x, x) < 1e-9 ? "" : " NOT", difference(s.rr, same.rr) < 1e-9 * s.rr[0] ? "" : " NOT");
  numbers error(s.rr.size());  // squares, in the norm of A: what the iterations to come gain
  for (std::size_t k = s.pq.size(); k-- > 0;) error[k] = error[k + 1] + (s.pq[k] > 0 ? s.rr[k] * s.rr[k] / s.pq[k] : 0);
  std::printf("what the iterations gain is%s the norm of the solution (Hestenes and Stiefel, 1952)\n",
              std::abs(error[0] / dot(x, b) - 1) < 1e-9 ? "" : " NOT");
  if (name != "poisson_10x10.mtx") return;

  const double condition = std::pow(std::tan(std::numbers::pi / 22), -2), root = std::sqrt(condition);
  bool is_so = true;
  for (std::size_t k = 0; k < error.size(); ++k)
    is_so = is_so && std::sqrt(error[k] / error[0]) <= 2 * std::pow((root - 1) / (root + 1), static_cast<double>(k)) * (1 + 1e-9);
  std::printf("the error is %s above what the condition number of %.2f allows\n", is_so ? "never" : "NOT never", condition);
  const matrix grid = matrix_market::poisson(10);
  std::printf("as read from the file: %sthe Laplacian of a grid\n", grid.column == m.column && grid.value == m.value ? "" : "NOT ");
}

int main(int count, char** arguments) {
  const std::filesystem::path file = count > 2 ? arguments[2] : std::filesystem::path(__FILE__).parent_path() / "media/poisson_10x10.mtx";
  try {
    const matrix m = matrix_market::read(file);
    return run_on_nodes([&] { solve(m, file.filename().string()); }, count > 1 ? arguments[1] : nullptr);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
