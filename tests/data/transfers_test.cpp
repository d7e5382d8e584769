// Walks as copies of rows: for any layouts, the transfers write what the walk writes.
#include "data/transfers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "data/layout.hpp"
#include "data/moves.hpp"
#include "device/host_work.hpp"

namespace stretto::data {
namespace {

/// A layout with axes in a random order, some reversed, with gaps.
layout some_layout(const box& b, std::uint32_t element, std::mt19937& random) {
  layout l{b, {}, element};
  int axes[3] = {0, 1, 2};
  std::shuffle(axes, axes + 3, random);
  std::int64_t step = element * static_cast<std::int64_t>(1 + random() % 2);
  for (const int a : axes) {
    l.stride[a] = random() % 3 == 0 ? -step : step;
    step *= static_cast<std::int64_t>(b.length(a)) + static_cast<std::int64_t>(random() % 2);
  }
  return l;
}

struct storage {
  explicit storage(const layout& l) : shape(l) {
    const auto span = span_of(l);
    bytes.resize(static_cast<std::size_t>(span.to - span.from));
    first = bytes.data() - span.from;
  }
  layout shape;
  std::vector<std::byte> bytes;
  std::byte* first = nullptr;
};

TEST_CASE("transfers write what the walk writes, and touch nothing else") {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    const auto side = [&] { return static_cast<coordinate>(1 + random() % 5); };
    const box whole({-2, 3, 0}, {-2 + side(), 3 + side(), side()});
    const std::uint32_t element = std::vector<std::uint32_t>{1, 4, 12}[random() % 3];
    storage from(some_layout(whole, element, random)), to(some_layout(whole, element, random));
    for (std::byte& b : from.bytes) b = static_cast<std::byte>(random());
    for (std::byte& b : to.bytes) b = static_cast<std::byte>(random());
    point min, size;
    for (int a = 0; a < 3; ++a) {
      const auto length = static_cast<coordinate>(whole.length(a));
      min[a] = whole.min()[a] + static_cast<coordinate>(random() % static_cast<unsigned>(length));
      size[a] = static_cast<coordinate>(random() % static_cast<unsigned>(whole.max()[a] - min[a] + 1));
    }
    const box part = box(extent(size[0], size[1], size[2])).shifted(min);
    const auto walk = plan(part, std::array{reach::of(to.first, to.shape), reach::of(from.first, from.shape)});
    const std::vector<std::byte> before = to.bytes;
    copy_elements(walk);
    const std::vector<std::byte> expected = to.bytes;
    std::ranges::copy(before, to.bytes.begin());
    for (const transfer& t : transfers_of(walk, place{1}, place{2})) {
      CHECK(t.source.memory == place{1});
      CHECK(t.target.memory == place{2});
      device::copy_rows(t.target.address, t.target.row_stride, t.target.plane_stride, t.source.address,
                        t.source.row_stride, t.source.plane_stride, t.shape);
    }
    REQUIRE(expected == to.bytes);
  }
}

TEST_CASE("dense boxes are one transfer") {
  const box whole({0, 0, 0}, {4, 5, 6});
  const layout l = dense_layout(whole, 3, 8);
  std::vector<std::byte> memory(4 * 5 * 6 * 8);
  const reach r = reach::of(memory.data(), l);
  auto all = transfers_of(plan(whole, std::array{r, r}), {}, {});
  REQUIRE(all.size() == 1);
  CHECK(all[0].shape.row_bytes == memory.size());
  all = transfers_of(plan(box({1, 1, 1}, {3, 4, 5}), std::array{r, r}), {}, {});
  REQUIRE(all.size() == 1);
  CHECK(all[0].shape.row_bytes == 4 * 8);
  CHECK(all[0].shape.rows == 3);
  CHECK(all[0].shape.planes == 2);
  CHECK(transfers_of(plan(box({1, 1, 1}, {1, 4, 5}), std::array{r, r}), {}, {}).empty());
}

}  // namespace
}  // namespace stretto::data
