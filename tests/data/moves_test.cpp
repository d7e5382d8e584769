#include "data/moves.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "data/strided_model.hpp"

using namespace stretto;
using namespace stretto::data;

namespace {
const auto element_sizes = rc::gen::element(1u, 2u, 3u, 4u, 8u, 12u, 16u, 20u, 24u, 32u);

void number_bytes(model::array& a) {
  unsigned n = 0;
  for (std::byte& b : a.bytes) b = static_cast<std::byte>(n++ * 37 % 251);
}
}  // namespace

TEST_CASE("a copy moves the box and nothing else, whatever the strides") {
  CHECK(rc::check([] {
    const auto size = *element_sizes;
    const box whole = model::random_box(3, *rc::gen::element<coordinate>(6, 6, 40));
    const box part = model::random_part(whole);
    model::array from(whole, size, std::byte{0}), to(whole, size, std::byte{0xee});
    number_bytes(from);
    auto expected = to;
    model::for_each_point(part, [&](const point& p) { std::memcpy(expected.at(p), from.at(p), size); });
    copy_elements(plan(part, std::array{to.as_operand(), from.as_operand()}));
    RC_ASSERT(to.bytes == expected.bytes);
  }));
}

TEST_CASE("a transpose larger than a tile is right to its edges") {
  const box b({0, 0}, {70, 101});
  std::vector<double> from(70 * 101), to(70 * 101, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<double>(i);
  const operand source{reinterpret_cast<std::byte*>(from.data()), dense_layout(b, 2, 8, axis_order::c)};
  const operand target{reinterpret_cast<std::byte*>(to.data()), dense_layout(b, 2, 8, axis_order::fortran)};
  copy_elements(plan(b, std::array{target, source}));
  for (std::size_t i = 0; i < 70; ++i)
    for (std::size_t j = 0; j < 101; ++j) REQUIRE(to[j * 70 + i] == from[i * 101 + j]);
}

TEST_CASE("a fill writes the value to the box and nothing else") {
  CHECK(rc::check([] {
    const auto size = *element_sizes;
    const box whole = model::random_box(3);
    const box part = model::random_part(whole);
    model::array to(whole, size, std::byte{0xee});
    std::vector<std::byte> value(size);
    const bool uniform = *rc::gen::arbitrary<bool>();
    for (unsigned i = 0; i < size; ++i) value[i] = static_cast<std::byte>(uniform ? 5 : i + 1);
    auto expected = to;
    model::for_each_point(part, [&](const point& p) { std::memcpy(expected.at(p), value.data(), size); });
    fill_elements(plan(part, std::array{to.as_operand()}), value.data());
    RC_ASSERT(to.bytes == expected.bytes);
  }));
}

TEST_CASE("gather reads and scatter writes where the indices say, up to the first that lies outside") {
  CHECK(rc::check([] {
    const box table_box = model::random_box(2, 5), list_box = model::random_box(2, 5);
    model::array table(table_box, 4, std::byte{0}), dense(list_box, 4, std::byte{0xee}),
        index(list_box, 16, std::byte{0});
    number_bytes(table);
    const int bad_one_in = *rc::gen::element(0, 30);
    bool any_bad = false;
    model::for_each_point(list_box, [&](const point& p) {
      const bool bad = table_box.is_empty() || (bad_one_in && *rc::gen::inRange(0, bad_one_in) == 0);
      any_bad = any_bad || bad;
      point to = table_box.max();
      for (int a = 0; a < 2 && !bad; ++a) to[a] = *rc::gen::inRange(table_box.min()[a], table_box.max()[a]);
      std::memcpy(index.at(p), &to.at, 16);
    });
    const auto walk = plan(list_box, std::array{dense.as_operand(), index.as_operand()});
    const auto gathered = gather_elements(walk, table.as_operand(), index_kind::point2);
    RC_ASSERT(gathered.has_value() == any_bad);
    if (any_bad) {
      RC_ASSERT(gathered->index == table_box.max() - point(0, 0, table_box.max()[2]));
      return;
    }
    model::for_each_point(list_box, [&](const point& p) {
      point at;
      std::memcpy(&at.at, index.at(p), 16);
      RC_ASSERT(std::memcmp(dense.at(p), table.at(at), 4) == 0);
    });
    auto again = table;
    for (std::byte& b : again.bytes) b = std::byte{0xcc};
    RC_ASSERT(!scatter_elements(walk, again.as_operand(), index_kind::point2));
    model::for_each_point(list_box, [&](const point& p) {
      point at;
      std::memcpy(&at.at, index.at(p), 16);
      RC_ASSERT(std::memcmp(again.at(at), table.at(at), 4) == 0);
    });
  }));
}

TEST_CASE("integer indices of every kind name the same elements, and huge ones none") {
  std::vector<int> table{10, 11, 12, 13};
  const operand t{reinterpret_cast<std::byte*>(table.data()), dense_layout(box(0, 4), 1, 4)};
  const auto gathers = [&](auto first, auto second, index_kind kind) {
    const std::array indices{first, second};
    std::array<int, 2> out{-1, -1};
    auto* raw = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(indices.data()));
    const auto walk =
        plan(box(0, 2), std::array{operand{reinterpret_cast<std::byte*>(out.data()), dense_layout(box(0, 2), 1, 4)},
                                   operand{raw, dense_layout(box(0, 2), 1, bytes_of(kind))}});
    const auto bad = gather_elements(walk, t, kind);
    return std::pair(out, bad ? bad->position : 99);
  };
  const std::array<int, 2> both{13, 11}, one{13, -1};
  CHECK(gathers(std::int32_t{3}, std::int32_t{1}, index_kind::int32) == std::pair(both, std::uint64_t{99}));
  CHECK(gathers(std::uint32_t{3}, std::uint32_t{1}, index_kind::uint32) == std::pair(both, std::uint64_t{99}));
  CHECK(gathers(std::int64_t{3}, std::int64_t{1}, index_kind::int64) == std::pair(both, std::uint64_t{99}));
  CHECK(gathers(std::uint64_t{3}, std::uint64_t{1}, index_kind::uint64) == std::pair(both, std::uint64_t{99}));
  CHECK(gathers(std::uint64_t{3}, ~std::uint64_t{0}, index_kind::uint64) == std::pair(one, std::uint64_t{1}));
  CHECK(gathers(std::int32_t{3}, std::int32_t{-1}, index_kind::int32) == std::pair(one, std::uint64_t{1}));
  CHECK(gathers(std::uint32_t{3}, ~std::uint32_t{0}, index_kind::uint32) == std::pair(one, std::uint64_t{1}));
}
