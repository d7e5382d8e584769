// The assumptions of a kernel's compiled variant, and the launches that satisfy them.
#include <doctest/doctest.h>

#include <limits>
#include <span>
#include <vector>

#include "device/arrays.hpp"
#include "device/indexing.hpp"
#include "device/kernels_for_tests.hpp"

namespace stretto::device {
namespace {

launch_range over(std::int64_t min, std::int64_t max) {
  launch_range r;
  r.min[0] = min, r.max[0] = max, r.dimensions = 1;
  return r;
}

launch_argument given(const kernel_argument& a, std::byte* first) {
  launch_argument g;
  g.is = a, g.first = first;
  return g;
}

TEST_CASE("ids and rows decide whether a launch is dense, the places of elements whether it is near") {
  array<int> x({10}, 0);
  auto* const first = reinterpret_cast<std::byte*>(x.values.data());
  launch_argument a = given(x.at(first), first);
  const auto of = [&](const launch_range& r) { return indexing_of(add_one.code(), r, std::span(&a, 1)); };
  CHECK(of(over(0, 10)) == indexing::near);
  CHECK(of(over(0, 3'000'000'000)) == indexing::any);
  a.is.stride[0] = 2;
  CHECK(of(over(0, 5)) == indexing::any);
  a.is.stride[0] = 1;
  a.is.max[0] = 3'000'000'000;
  CHECK(of(over(0, 10)) == indexing::dense);
  a.is.max[0] = std::numeric_limits<std::int64_t>::max(), a.is.min[0] = std::numeric_limits<std::int64_t>::min();
  CHECK(of(over(0, 10)) == indexing::dense);
}

TEST_CASE("an origin far before an array counts") {
  for (const auto& [from, is] : std::vector<std::pair<std::int64_t, indexing>>{{1'000'000'000, indexing::near},
                                                                               {-1'000'000'000, indexing::near},
                                                                               {1'100'000'000, indexing::dense},
                                                                               {-1'100'000'000, indexing::dense}}) {
    CAPTURE(from);
    array<int> x({10}, 0, {from});
    auto* const first = reinterpret_cast<std::byte*>(x.values.data());
    const launch_argument a = given(x.at(first), first);
    CHECK(indexing_of(add_one.code(), over(from, from + 10), std::span(&a, 1)) == is);
  }
}

TEST_CASE("each array of a launch counts, and each axis; values and local memory do not") {
  array<float> near({4, 5}, 0), far({4, 5}, 0, {0, 2'000'000'000});
  auto* const first = reinterpret_cast<std::byte*>(near.values.data());
  float c = 0;
  const auto of = [&](const array<float>& u, const array<float>& v) {
    const std::vector<launch_argument> all{given(u.at(first), first), given(v.at(first), first),
                                           given(value(c), nullptr)};
    launch_range r = over(0, 4);
    r.dimensions = 2, r.max[1] = 5;
    return indexing_of(jacobi.code(), r, all);
  };
  CHECK(of(near, near) == indexing::near);
  CHECK(of(near, far) == indexing::dense);
  CHECK(of(far, near) == indexing::dense);
  array<float> x({64}, 0), sums({4}, 0);
  const std::vector<launch_argument> of_groups{given(x.at(first), first), given(sums.at(first), first),
                                               given(local_elements(16), nullptr)};
  launch_range r = over(0, 4);
  r.group[0] = 16;
  CHECK(indexing_of(sum_of_group.code(), r, of_groups) == indexing::near);
}

}  // namespace
}  // namespace stretto::device
