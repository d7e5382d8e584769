#include "graph/balance_weights.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "graph/chunk_grid.hpp"

using namespace stretto;
using graph::balanced_weights, graph::measured_load;

namespace {

using loads = std::vector<measured_load>;

/// The loads of processors of these speeds for a range that is cut by weights.
loads measured(const std::vector<double>& weights, const std::vector<double>& speeds, coordinate items,
               double overhead) {
  const graph::chunk_grid g(box(0, items), static_cast<graph::node_number>(speeds.size()), graph::cut::along_rows, unit,
                            graph::chunk_weights(weights));
  loads all;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const auto n = static_cast<double>(g.chunk(static_cast<graph::node_number>(i)).volume());
    all.push_back({n, overhead + n / speeds[i]});
  }
  return all;
}

double end_of(const loads& all) {
  double last = 0;
  for (const measured_load& l : all) last = std::max(last, l.seconds);
  return last;
}

}  // namespace

TEST_CASE("weights become what speeds are to one another, with a sum of one") {
  CHECK(balanced_weights({}, loads{{100, 1}, {100, 3}}) == std::vector<double>{0.75, 0.25});
  CHECK(balanced_weights({}, loads{{300, 1}, {100, 1}}).empty());  // both have ended at the same time
  CHECK(balanced_weights(std::vector<double>{0.5, 0.25, 0.25}, loads{{200, 4}, {100, 1}, {100, 1}}) ==
        std::vector<double>{0.2, 0.4, 0.4});
}

TEST_CASE("weights stay if all end at about the same time, if little was measured, or if one was not measured") {
  CHECK(balanced_weights({}, loads{{100, 1}, {100, 1.1}}).empty());
  CHECK_FALSE(balanced_weights({}, loads{{100, 1}, {100, 1.4}}).empty());
  CHECK(balanced_weights({}, loads{{100, 1e-5}, {100, 3e-5}}).empty());
  CHECK(balanced_weights({}, loads{{100, 1}, {0, 0}}).empty());
  CHECK(balanced_weights({}, loads{{100, 1}, {100, std::nan("")}}).empty());
  CHECK(balanced_weights({}, loads{{100, 1}}).empty());
  CHECK(balanced_weights({}, loads{}).empty());
}

TEST_CASE("weights that a grain does not let be followed are not set again and again") {
  // Two items: one each, whatever the weights.
  const std::vector<double> set = balanced_weights({}, measured({}, {1, 3}, 2, 0));
  REQUIRE_FALSE(set.empty());
  CHECK(balanced_weights(set, measured(set, {1, 3}, 2, 0)).empty());
}

TEST_CASE("a very slow processor keeps a share by which it can be measured again") {
  const std::vector<double> set = balanced_weights({}, loads{{100, 1e-2}, {100, 1e4}});
  REQUIRE(set.size() == 2);
  CHECK(std::abs(set[1] / set[0] - 1.0 / 64) < 1e-9);
}

TEST_CASE(
    "processors of any speeds end within a tenth of the best possible after a few measurements, and are then left "
    "alone") {
  std::mt19937 random(7);
  const auto number = [&](double least, double most) { return std::uniform_real_distribution(least, most)(random); };
  for (int program = 0; program < 300; ++program) {
    CAPTURE(program);
    std::vector<double> speeds, weights;
    double all = 0;
    for (int n = 2 + program % 7; n > 0; --n) all += speeds.emplace_back(number(1, 20));
    const coordinate items = 100'000;
    const double overhead = number(0, 0.02) * static_cast<double>(items) / all;
    int changes = 0;
    for (int step = 0; step < 12; ++step) {
      const std::vector<double> next = balanced_weights(weights, measured(weights, speeds, items, overhead));
      if (next.empty()) continue;
      weights = next;
      ++changes;
    }
    CHECK(changes <= 4);
    CHECK(end_of(measured(weights, speeds, items, overhead)) < 1.12 * (static_cast<double>(items) / all + overhead));
  }
}
