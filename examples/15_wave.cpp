// 15_wave.cpp - a wave equation on two distributed buffers that swap roles.
//
// This program shows a stencil that updates in place. The new field overwrites the field of the step before last, and
// std::swap exchanges the roles of the two buffers without copying. It helps readers who have finite-difference codes.
//
// A launch is cut by rows into one part for each node, and each part is cut again for the devices of its node. The
// mapper star(1) says that each element needs its four neighbours, so nodes send each other the rows at the edges of
// their parts.
//
// A standing wave is a solution of the discrete equation in closed form, with a known frequency. Started alone, the
// program simulates three nodes in one process, or as many as its argument says. `stretto run -n 4 15_wave` starts four
// processes instead.
//
// Output
//   a standing wave, 300 steps: as its closed form
//   a pulse, 200 steps: as a serial run
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>
#include <vector>

#include "on_nodes.hpp"

using namespace stretto;

constexpr int n = 67;            // points along a side; the border is held at 0
constexpr double courant = 0.5;  // how far a wave gets in a step

// clang-format off
STRETTO_KERNEL(step_on, (in<double, 2> now, inout<double, 2> other, double c2), {
  const int i = global_id(0);
  const int j = global_id(1);
  other(i, j) = 2 * now(i, j) - other(i, j) + c2 * (now(i - 1, j) + now(i + 1, j) + now(i, j - 1) + now(i, j + 1) - 4 * now(i, j));
})
// clang-format on

using field = std::vector<double>;
std::size_t at(int i, int j) { return static_cast<std::size_t>(i * n + j); }

field on_nodes(const field& first, const field& second, int steps) {
  const box all_points({0, 0}, {n, n}), inside({1, 1}, {n - 1, n - 1});
  buffer<double, 2> before(all_points, first.data(), {.name = "before"}),
      now(all_points, second.data(), {.name = "now"});
  for (int s = 0; s < steps; ++s) {
    launch(step_on, inside, now(star(1)), before(one_to_one), courant * courant);
    std::swap(before, now);
  }
  const auto later = now.read();
  if (is_dry_run()) return {};  // nothing is computed then (example 40)
  const auto& seen = later.get();
  field result(first.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) result[at(i, j)] = seen.view()(i, j);
  return result;
}

field serially(field before, field now, int steps) {
  for (int s = 0; s < steps; ++s, std::swap(before, now))
    for (int i = 1; i < n - 1; ++i)
      for (int j = 1; j < n - 1; ++j)
        before[at(i, j)] =
            2 * now[at(i, j)] - before[at(i, j)] +
            courant * courant *
                (now[at(i - 1, j)] + now[at(i + 1, j)] + now[at(i, j - 1)] + now[at(i, j + 1)] - 4 * now[at(i, j)]);
  return now;
}

template <class F>
field make(F f) {
  field u(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) u[at(i, j)] = i == 0 || j == 0 || i == n - 1 || j == n - 1 ? 0 : f(i, j);
  return u;
}

void tell(const char* what, const field& is, const field& expected, const char* like) {
  double error = 0;
  for (std::size_t i = 0; i < is.size(); ++i) error = std::fmax(error, std::abs(is[i] - expected[i]));
  if (is_dry_run() || this_node() != 0) return;
  std::printf("%s: %s%s\n", what, error < 1e-9 ? "" : "NOT ", like);
}

void program() {
  const double k = std::numbers::pi / (n - 1);  // three half waves down, two across
  const double omega = 2 * std::asin(courant * std::hypot(std::sin(1.5 * k), std::sin(k)));
  const auto standing = [&](double t) {
    return make([&](int i, int j) { return std::sin(3 * k * i) * std::sin(2 * k * j) * std::cos(omega * t); });
  };
  tell("a standing wave, 300 steps", on_nodes(standing(0), standing(1), 300), standing(301), "as its closed form");

  const field pulse = make([](int i, int j) { return std::exp(-0.05 * ((i - 20) * (i - 20) + (j - 30) * (j - 30))); });
  tell("a pulse, 200 steps", on_nodes(pulse, pulse, 200), serially(pulse, pulse, 200), "as a serial run");
}

int main(int count, char** arguments) { return run_on_nodes(program, count > 1 ? arguments[1] : nullptr); }
