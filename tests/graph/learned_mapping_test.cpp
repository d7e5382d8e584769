// What chunks were seen to use, and the mapper that says so.
#include "graph/learned_mapping.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <vector>

using namespace stretto;
using namespace stretto::graph;

namespace {

/// What four chunks of the range use.
std::vector<seen_use> seen(const box& range, const std::function<box(const box&)>& used, bool has_corners = false) {
  std::vector<seen_use> all;
  for (const box& chunk : split_tiles(range, 4)) all.push_back({chunk, used(chunk), has_corners});
  return all;
}
const box whole({0, 0}, {64, 48});

std::string learned(const std::function<box(const box&)>& used, bool has_corners = false, const box& range = whole, const box& elements = whole) {
  return learn_mapping(seen(range, [&](const box& c) { return intersection(used(c), elements); }, has_corners), range, elements, 2).text;
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
  CHECK(learned([](const box& c) { return box({c.min()[1], c.min()[0]}, {c.max()[1], c.max()[0]}); }, true, box({0, 0}, {48, 48})) == "transposed");
  CHECK(learned([](const box&) { return box(); }) == "");
}

TEST_CASE("what is learned names all that was used, of any boxes") {
  std::mt19937 random(3);
  const auto number = [&](coordinate least, coordinate most) { return std::uniform_int_distribution<coordinate>(least, most)(random); };
  for (int i = 0; i < 300; ++i) {
    std::vector<seen_use> uses = seen(whole, [&](const box&) {
      const point min(number(0, 60), number(0, 44));
      return box::between(min, {number(min[0], 64), number(min[1], 48), 1});
    }, true);
    const learned_mapping best = learn_mapping(uses, whole, whole, 2);
    std::uint64_t used = 0;
    for (const seen_use& u : uses) used += u.used.volume();
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
