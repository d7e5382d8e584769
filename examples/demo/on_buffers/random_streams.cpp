#include "demo/on_buffers/random_streams.hpp"

#include <cmath>
#include <random>

#include <stretto/buffer.hpp>

#include "chart/chart.hpp"

namespace on_buffers {

using namespace stretto;

namespace {

// clang-format off
STRETTO_KERNEL(count_sums, (inout<long long, 2> state, inout<int, 3> counts, int sums), {
  const int i = global_id(0);
  const int t = global_id(1);
  long long value = state(i, t);
  for (int s = 0; s < sums; ++s) {
    long long sum = 0;
    for (int n = 0; n < 12; ++n) value = 16807 * value % 2147483647, sum += value;
    counts(i, t, sum * 4 / 2147483647) += 1;
  }
  state(i, t) = value;
})
// clang-format on

constexpr double few = 20;

/// How likely a sum of twelve numbers between 0 and 1 is below x.
double below(double x) {
  if (x > 6) return 1 - below(12 - x);
  double sum = 0, choose = 1;
  for (int k = 0; k < x; ++k) {
    sum += (k % 2 ? -choose : choose) * std::pow(x - k, 12);
    choose = choose * (12 - k) / (k + 1);
  }
  return sum / std::tgamma(13);
}

}  // namespace

counts counts_on_nodes(const streams& s) {
  const box generators({0, 0}, {s.rows, s.columns}), each_bin({0, 0, 0}, {s.rows, s.columns, bins});
  const int columns = s.columns;
  const buffer<long long, 2> state(generators, [columns](coordinate i, coordinate t) { return i * columns + t + 1; },
                                   {.name = "generators"});
  const buffer<int, 3> counted(each_bin, [](coordinate, coordinate, coordinate) { return 0; }, {.name = "counts"});
  const auto bins_of = [](const box& part) {
    return box({part.min()[0], part.min()[1], 0}, {part.max()[0], part.max()[1], bins});
  };
  for (int r = 0; r < s.rounds; ++r)
    for (int t = 0; t < s.columns; ++t)
      launch(count_sums, box({0, t}, {s.rows, t + 1}), state(one_to_one), counted(bins_of), s.sums);
  const auto later = counted.read();
  const auto& seen = later.get();
  counts result(bins);
  for (int i = 0; i < s.rows; ++i)
    for (int t = 0; t < s.columns; ++t)
      for (int b = 0; b < bins; ++b) result[static_cast<std::size_t>(b)] += seen.view()(i, t, b);
  return result;
}

counts counts_serially(const streams& s) {
  counts result(bins);
  for (int g = 1; g <= s.rows * s.columns; ++g) {
    std::minstd_rand0 next(static_cast<unsigned>(g));
    for (int n = 0; n < s.rounds * s.sums; ++n) {
      std::int64_t sum = 0;
      for (int k = 0; k < 12; ++k) sum += next();
      ++result[static_cast<std::size_t>(sum * 4 / 2147483647)];
    }
  }
  return result;
}

std::vector<double> expected_counts(std::int64_t all) {
  std::vector<double> result;
  for (int b = 0; b < bins; ++b) result.push_back(static_cast<double>(all) * (below((b + 1) / 4.0) - below(b / 4.0)));
  return result;
}

double chi_square(const counts& seen, const std::vector<double>& expected) {
  double result = 0, seen_rare = 0, expected_rare = 0;
  for (std::size_t b = 0; b < seen.size(); ++b) {
    const auto is = static_cast<double>(seen[b]);
    if (expected[b] < few) seen_rare += is, expected_rare += expected[b];
    else result += (is - expected[b]) * (is - expected[b]) / expected[b];
  }
  return result + (expected_rare > 0 ? (seen_rare - expected_rare) * (seen_rare - expected_rare) / expected_rare : 0);
}

std::string histogram(const counts& seen, const std::vector<double>& expected) {
  tools::chart c{.title = "Sums of twelve random numbers",
                 .across = "sum",
                 .names = {"counted", "the law (Irwin and Hall)"},
                 .panels = {{"thousands", {{}, {}}}},
                 .at = {},
                 .least = 0};
  for (std::size_t b = 0; b < seen.size(); ++b) {
    c.at.push_back((static_cast<double>(b) + 0.5) / 4);
    c.panels[0].lines[0].push_back(static_cast<double>(seen[b]) / 1000);
    c.panels[0].lines[1].push_back(expected[b] / 1000);
  }
  return tools::to_svg(c);
}

}  // namespace on_buffers
