#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "campaign.hpp"
#include "ranks/communicators/dimensions.hpp"
#include "ranks/thrown_class.hpp"

using namespace stretto;

namespace {

using sizes = std::vector<int>;

sizes chosen(int count, sizes dims) {
  ranks::choose_dimensions(count, dims);
  return dims;
}

/// All ways to write a number as a product of so many factors in descending order.
void append_factorizations(int rest, int most, sizes& begun, std::size_t length, std::vector<sizes>& all) {
  if (begun.size() == length) {
    if (rest == 1) all.push_back(begun);
    return;
  }
  for (int factor = std::min(rest, most); factor >= 1; --factor) {
    if (rest % factor != 0) continue;
    begun.push_back(factor);
    append_factorizations(rest / factor, factor, begun, length, all);
    begun.pop_back();
  }
}

sizes best_by_comparison(int count, std::size_t length) {
  std::vector<sizes> all;
  sizes begun;
  append_factorizations(count, count, begun, length, all);
  return *std::ranges::min_element(all, {}, [](const sizes& one) {
    sizes from_below(one.rbegin(), one.rend());
    for (int& each : from_below) each = -each;
    return std::tuple(one.front() - one.back(), from_below);
  });
}

struct dimensions_case {
  int count;
  sizes given;
  sizes expected;
};

}  // namespace

TEST_CASE("dimensions are chosen as the standard's examples say") {
  const std::vector<dimensions_case> cases = {
      {6, {0, 0}, {3, 2}},
      {7, {0, 0}, {7, 1}},
      {6, {0, 3, 0}, {2, 3, 1}},
      {1, {0, 0, 0}, {1, 1, 1}},
      {1, {}, {}},
      {12, {4, 3}, {4, 3}},
      {32, {0, 16, 0, 2}, {1, 16, 1, 2}},
      {72, {0, 0}, {9, 8}},
      {5040, {0, 0, 0}, {21, 16, 15}},
      {64, {0, 0, 0, 0}, {4, 4, 2, 2}},
      {4096, {0, 0, 0}, {16, 16, 16}},
      {1'000'000'000, {0, 0, 0}, {1000, 1000, 1000}},
      {2'147'483'647, {0, 0}, {2'147'483'647, 1}},
      {2'000'000'000, {0}, {2'000'000'000}},
  };
  for (const dimensions_case& each : cases) {
    CAPTURE(each.count);
    CHECK(chosen(each.count, each.given) == each.expected);
  }
}

TEST_CASE("no other dimensions are closer to each other") {
  for (int count = 1; count <= test::scaled(300, 5000); ++count) {
    CAPTURE(count);
    for (std::size_t length = 1; length <= 5; ++length) {
      CHECK(chosen(count, sizes(length, 0)) == best_by_comparison(count, length));
    }
  }
}

TEST_CASE("erroneous dimensions are refused") {
  using enum ranks::error_class;
  const auto refused = [](int count, const sizes& given) { return test::thrown_class([&] { chosen(count, given); }); };
  CHECK(refused(7, {0, 3, 0}) == dims);
  CHECK(refused(12, {4, 4}) == dims);
  CHECK(refused(12, {2, 3}) == dims);
  CHECK(refused(12, {-1, 0}) == dims);
  CHECK(refused(0, {0}) == dims);
  CHECK(refused(-4, {0, 0}) == dims);
  CHECK(refused(2, {}) == dims);
}
