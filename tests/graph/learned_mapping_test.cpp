// Observed uses of chunks, and the mapper that names them.
#include "graph/learned_mapping.hpp"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace stretto;
using namespace stretto::graph;

namespace {

/// The uses of four chunks of the range, known by bounding box.
std::vector<observed_use> seen(const box& range, const std::function<box(const box&)>& used, bool has_corners = false) {
  std::vector<observed_use> all;
  for (const box& chunk : split_tiles(range, 4))
    all.push_back({.chunk = chunk, .used = used(chunk), .is_exact = false, .has_corners = has_corners});
  return all;
}
/// The same, known element by element; elements outside of the buffer are dropped.
std::vector<observed_use> exactly(const box& range, const box& elements,
                                  const std::function<region(const box&)>& used) {
  std::vector<observed_use> all;
  for (const box& chunk : split_tiles(range, 4))
    all.push_back({.chunk = chunk, .used = used(chunk) & region(elements)});
  return all;
}
const box whole({0, 0}, {64, 48});

std::string learned(const std::function<box(const box&)>& used, bool has_corners = false, const box& range = whole,
                    const box& elements = whole) {
  return learn_mapping(seen(
                           range, [&](const box& c) { return intersection(used(c), elements); }, has_corners),
                       range, elements, 2)
      .text;
}

}  // namespace

TEST_CASE("the mapper that names just what was used is learned") {
  CHECK(learned([](const box& c) { return c; }) == "one_to_one");
  CHECK(learned([](const box& c) { return c.widened({1, 1, 0}); }) == "star(1)");
  CHECK(learned([](const box& c) { return c.widened({1, 1, 0}); }, true) == "neighborhood(1)");
  CHECK(learned([](const box& c) { return c.widened({2, 0, 0}); }) == "star(2, 0)");
  CHECK(learned([](const box& c) { return c.widened({2, 1, 0}); }, true) == "neighborhood(2, 1)");
  CHECK(learned([](const box& c) { return box({c.min()[0], 0}, {c.max()[0], 48}); }) == "slice(1)");
  CHECK(learned([](const box& c) { return box({0, c.min()[1]}, {64, c.max()[1]}); }) == "slice(0)");
  CHECK(learned([](const box&) { return whole; }, true) == "all");
  CHECK(learned([](const box&) { return box({0, 0}, {1, 48}); }) == "fixed(box({0, 0}, {1, 48}))");
  CHECK(learned([](const box& c) { return box({c.min()[1], c.min()[0]}, {c.max()[1], c.max()[0]}); }, true,
                box({0, 0}, {48, 48})) == "transposed");
  CHECK(learned([](const box&) { return box(); }) == "");
}

TEST_CASE("a learned mapper names all used elements, for any boxes") {
  std::mt19937 random(3);
  const auto number = [&](coordinate least, coordinate most) {
    return std::uniform_int_distribution<coordinate>(least, most)(random);
  };
  for (int i = 0; i < 300; ++i) {
    std::vector<observed_use> uses = seen(
        whole,
        [&](const box&) {
          const point min(number(0, 60), number(0, 44));
          return box::between(min, {number(min[0], 64), number(min[1], 48), 1});
        },
        true);
    const learned_mapping best = learn_mapping(uses, whole, whole, 2);
    std::uint64_t used = 0;
    for (const observed_use& u : uses) used += u.used.volume();
    CHECK(best.used == 0);  // not known
    CHECK(best.named >= used);
    CHECK(best.named <= whole.volume() * uses.size());
    CHECK(best.text.empty() == (used == 0));
  }
}

TEST_CASE("a mapper is compared with what was used: too little, or more than that") {
  const auto uses = seen(whole, [](const box& c) { return intersection(c.widened({1, 0, 0}), whole); });
  CHECK_FALSE(compare(mapping::one_to_one(whole), uses, whole).is_enough);
  const auto more = compare(mapping::neighborhood(whole, {3, 3, 0}), uses, whole);
  CHECK(more.is_enough);
  CHECK(more.named > learn_mapping(uses, whole, whole, 2).named);
}

TEST_CASE("exact uses give the mapper that names just them") {
  const auto learned_of = [](const box& range, const box& elements, int dimensions,
                             const std::function<region(const box&)>& used) {
    const learned_mapping best = learn_mapping(exactly(range, elements, used), range, elements, dimensions);
    CHECK(best.fits());
    return best.text;
  };
  const auto cross = [](const box& c) { return region{c.widened({1, 0, 0}), c.widened({0, 1, 0})}; };
  CHECK(learned_of(whole, whole, 2, cross) == "star(1)");
  CHECK(learned_of(whole, whole, 2, [](const box& c) { return region(c.widened({1, 1, 0})); }) == "neighborhood(1)");
  CHECK(learned_of(whole, whole, 2, [](const box& c) { return region(box({c.min()[0], 0}, {c.max()[0], 48})); }) ==
        "slice(1)");
  // Periodic: elements beyond one end are at the other.
  const auto ring = [](coordinate by, coordinate n) {
    return [by, n](const box& c) {
      const coordinate low = c.min()[0] - by, high = c.max()[0] + by;
      return region{box(low, high), box(low + n, high + n), box(low - n, high - n)};
    };
  };
  const box line(0, 64);
  CHECK(learned_of(line, line, 1, ring(1, 64)) == "wrapped(1)");
  CHECK(learned_of(line, line, 1, ring(5, 64)) == "wrapped(5)");
  const box from_3(3, 67);
  CHECK(learned_of(from_3, from_3, 1, ring(2, 64)) == "wrapped(2)");
  for (const point by : {point(1, 1), point(2, 1), point(0, 3)}) {
    const mapping is = mapping::wrapped(whole, by);
    const auto used = [&](const box& c) {
      used_boxes b;
      is.used_by(c, whole, b);
      return region(std::span<const box>(b));
    };
    CHECK(learned_of(whole, whole, 2, used) ==
          (by[0] == by[1] ? "wrapped(1)" : "wrapped(" + std::to_string(by[0]) + ", " + std::to_string(by[1]) + ")"));
  }
  // Axes in another order.
  const box cube({0, 0, 0}, {16, 16, 16});
  for (const std::array<std::uint8_t, 3> by : {std::array<std::uint8_t, 3>{1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {0, 2, 1}}) {
    const auto used = [&](const box& c) {
      point min, max;
      for (int a = 0; a < 3; ++a) min[a] = c.min()[by[std::size_t(a)]], max[a] = c.max()[by[std::size_t(a)]];
      return region(box::between(min, max));
    };
    CHECK(learned_of(cube, cube, 3, used) ==
          "transposed_by(" + std::to_string(by[0]) + ", " + std::to_string(by[1]) + ", " + std::to_string(by[2]) + ")");
  }
}

TEST_CASE("if named mappers give far too much, a function of a chunk is found that gives exactly the used elements") {
  const box line(0, 64);
  const auto learned_of = [](const box& range, int dimensions, const std::function<region(const box&)>& used) {
    const std::vector<observed_use> uses = exactly(range, range, used);
    const learned_mapping best = learn_mapping(uses, range, range, dimensions);
    std::uint64_t sum = 0;
    for (const observed_use& u : uses) sum += u.used.volume();
    CHECK(best.used == sum);
    CHECK(best.named == sum);
    return best.text;
  };
  // The mirror image, and the same from the other end.
  CHECK(learned_of(line, 1, [](const box& c) { return region(box(64 - c.max()[0], 64 - c.min()[0])); }) ==
        "[](const box& part) { return box(64 - part.max()[0], 64 - part.min()[0]); }");
  CHECK(learned_of(line, 1, [](const box& c) { return region{c, box(64 - c.max()[0], 64 - c.min()[0])}; }) ==
        "[](const box& part) { return std::vector{box(part.min()[0], part.max()[0]), box(64 - part.max()[0], 64 - "
        "part.min()[0])}; }");
  // Parts at a distance from their chunk; those at an end have less.
  CHECK(
      learned_of(line, 1, [](const box& c) { return region{c, box(c.min()[0] + 20, c.max()[0] + 20)}; }) ==
      "[](const box& part, const box& all) { return std::vector{intersection(box(part.min()[0], part.max()[0]), all), "
      "intersection(box(part.min()[0] + 20, part.max()[0] + 20), all)}; }");
  // A head that all chunks need, and their own part.
  CHECK(learned_of(line, 1, [](const box& c) { return region{box(0, 2), c}; }) ==
        "[](const box& part) { return std::vector{box(part.min()[0], part.max()[0]), box(0, 2)}; }");
  // Rows of the other half.
  CHECK(
      learned_of(
          whole, 2,
          [](const box& c) { return region(box({48 - c.max()[1], c.min()[1]}, {48 - c.min()[1], c.max()[1]})); }) ==
      "[](const box& part) { return box({48 - part.max()[1], part.min()[1]}, {48 - part.min()[1], part.max()[1]}); }");
}

TEST_CASE("nothing is learned of elements that follow no rule, and that is known") {
  const std::vector<std::vector<coordinate>> ends{{3, 50}, {7, 21}, {33, 60}, {1, 13}};
  std::size_t next = 0;
  const box line(0, 64);
  const std::vector<observed_use> uses = exactly(line, line, [&](const box&) {
    const auto& at = ends[next++];
    return region{box(at[0], at[0] + 1), box(at[1], at[1] + 2)};
  });
  const learned_mapping best = learn_mapping(uses, line, line, 1);
  CHECK_FALSE(best.fits());
  CHECK(best.text.find("part") == std::string::npos);
  CHECK(best.used == 4 * 3);
}
