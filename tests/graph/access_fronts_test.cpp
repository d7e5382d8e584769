#include <doctest/doctest.h>

#include <algorithm>
#include <bitset>
#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "graph/access_fronts.hpp"

using namespace stretto;
using graph::access_fronts, graph::dependencies;

namespace {

using numbers_followed = std::vector<std::uint64_t>;

// One buffer, and tasks that use it, numbered by a sequence.
struct used_buffer {
  explicit used_buffer(const box& elements) : fronts(elements, order) {}

  graph::sequence order;
  access_fronts fronts;

  numbers_followed use(const std::vector<box>& read, const std::vector<box>& written) {
    dependencies follows;
    for (const box& b : read) fronts.before_reading(b, follows);
    for (const box& b : written) fronts.before_writing(b, follows);
    const std::uint64_t number = order.next();
    order.append(follows);
    for (const box& b : read) fronts.read(b, number, follows);
    for (const box& b : written) fronts.write(b, number);
    return {follows.begin(), follows.end()};
  }
  numbers_followed read(const box& where) { return use({where}, {}); }
  numbers_followed write(const box& where) { return use({}, {where}); }
  std::uint64_t horizon() {
    dependencies follows;
    order.append_horizon(follows);
    return order.next() - 1;
  }
  std::uint64_t epoch() {
    dependencies follows;
    order.append_epoch(follows);
    return order.next() - 1;
  }
};

const box hundred(0, 100);

}  // namespace

TEST_CASE("readers follow the last writer, and a writer follows the readers since") {
  used_buffer b(hundred);
  CHECK(b.write(hundred) == numbers_followed{0});
  CHECK(b.read(hundred) == numbers_followed{1});
  CHECK(b.read(box(0, 50)) == numbers_followed{1});
  CHECK(b.write(box(0, 60)) == numbers_followed{2, 3});
  CHECK(b.read(box(50, 70)) == numbers_followed{1, 4});
  CHECK(b.write(box(90, 100)) == numbers_followed{2});
  CHECK(b.use({box(0, 10)}, {box(0, 10)}) == numbers_followed{4});
  CHECK(b.write(hundred) == numbers_followed{2, 4, 5, 6, 7});
}

TEST_CASE("a writer need not wait for a reader that a later reader follows") {
  used_buffer b(hundred);
  b.write(box(0, 10));                                                                  // 1
  CHECK(b.use({box(0, 10)}, {box(50, 60)}) == numbers_followed{0, 1});                  // 2
  CHECK(b.use({box(0, 10), box(50, 60)}, {box(60, 70)}) == numbers_followed{0, 1, 2});  // 3
  CHECK(b.write(box(0, 10)) == numbers_followed{3});
}

TEST_CASE("anything older than the horizon applied last is represented by that horizon") {
  used_buffer b(hundred);
  b.write(hundred);                               // 1
  const auto first = b.horizon();                 // 2
  CHECK(b.read(hundred) == numbers_followed{1});  // 3: the first horizon is not applied yet
  const auto second = b.horizon();                // 4
  CHECK(b.order.applied() == first);
  CHECK(b.read(box(0, 50)) == numbers_followed{first});
  CHECK(b.write(box(50, 100)) == numbers_followed{3});
  CHECK(b.order.horizon() == second);
  const auto all = b.epoch();
  CHECK(b.read(hundred) == numbers_followed{all});
  CHECK(b.write(box(50, 100)) == numbers_followed{all + 1});
}

TEST_CASE("a writer waits for a reader older than the horizon if a later reader does not follow the horizon") {
  for (const bool joins : {false, true}) {
    CAPTURE(joins);
    used_buffer b(hundred);
    b.read(box(0, 1));                 // 1
    const auto horizon = b.horizon();  // 2
    // 3: does not follow the horizon, which is not applied
    CHECK(b.use({box(0, 1), box(50, 51)}, {}) == numbers_followed{0});
    b.horizon();
    CHECK(b.order.applied() == horizon);
    if (joins)
      for (coordinate i = 10; i < 50; ++i) b.write(box(i, i + 1));  // enough tiles that old ones are joined
    CHECK(b.write(box(0, 1)) == numbers_followed{horizon, 3});
  }
}

TEST_CASE("tiles in the same state become one, once there are many") {
  SUBCASE("that nobody has used since the horizon") {
    used_buffer b(box(0, 100'000));
    std::size_t most = 0;
    for (coordinate i = 0; i < 100'000; ++i) {
      b.write(box(i, i + 1));
      if (i % 4 == 0) b.horizon();
      most = std::max(most, b.fronts.tiles());
    }
    CHECK(most <= 32'768);
  }
  SUBCASE("that everybody reads") {
    // Step t reads everything that earlier steps have written, and writes the next row.
    used_buffer b(box({0, 0}, {2'000, 10}));
    std::size_t most = 0, most_followed = 0;
    for (coordinate t = 0; t < 1'000; ++t) {
      const auto followed =
          t == 0 ? b.write(box({0, 0}, {1, 10})) : b.use({box({0, 0}, {t, 10})}, {box({t, 0}, {t + 1, 10})});
      most_followed = std::max(most_followed, followed.size());
      if (t % 2 == 1) b.horizon();
      most = std::max(most, b.fronts.tiles());
    }
    CHECK(most <= 64);
    CHECK(most_followed <= 6);
  }
}

TEST_CASE("parts of an array that this node and others append in turn become one tile, also along one axis") {
  // Each step pushes its own part of the row before, receives the parts of the others and appends the next row; every
  // node reads all of it.
  for (const int step : {1, 2, 4}) {
    CAPTURE(step);
    used_buffer b(box(0, 4'000));
    std::size_t most = 0;
    for (coordinate t = 0; t < 400; ++t) {
      const auto part = [](coordinate row, coordinate from, coordinate to) {
        return box(10 * row + from, 10 * row + to);
      };
      if (t > 0) {
        b.read(part(t - 1, 4, 6));
        b.use({}, {part(t - 1, 0, 4), part(t - 1, 6, 10)});
      }
      b.use({box(0, 10 * t)}, {part(t, 4, 6)});
      if (t % step == step - 1) b.horizon();
      most = std::max(most, b.fronts.tiles());
    }
    CHECK(most <= 80);
  }
}

TEST_CASE("elements with many reads and no writes keep few readers") {
  used_buffer b(hundred);
  for (int i = 0; i < 10'000; ++i) {
    b.read(hundred);
    if (i % 8 == 7) b.horizon();
  }
  CHECK(b.write(hundred).size() <= 40);
}

TEST_CASE("every use of an element has exactly the predecessors of a model by elements, over many seeds") {
  constexpr int most = 400, side = 96;
  for (unsigned seed = 0; seed < test::scaled_of_one_thread(150u, 10'000u); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const int widest = 1 + below(seed % 2 ? 8 : side), horizon_one_in = 2 + below(30), reads_of_8 = 1 + below(7);
    used_buffer b(box(0, side));
    std::vector<std::bitset<most>> before(1);  // the direct and indirect predecessors of each number
    struct model_front {
      std::uint64_t writer = 0;
      numbers_followed readers;
    };
    std::vector<model_front> model(side);
    std::string fault;
    const auto appended = [&](const auto& follows) {
      before.emplace_back();
      for (const std::uint64_t f : follows) before.back() |= before[f], before.back().set(f);
    };
    const auto any_boxes = [&](int n) {
      std::vector<box> boxes;
      for (int i = 0; i < n; ++i) {
        const int from = below(side);
        boxes.push_back(box(from, std::min(side, from + 1 + below(widest))));
      }
      return boxes;
    };
    while (fault.empty() && b.order.next() + 2 < most) {
      const auto read = any_boxes(below(8) < reads_of_8 ? 1 + below(2) : 0),
                 written = any_boxes(read.empty() ? 1 : below(2));
      const std::uint64_t task = b.order.next(), applied = b.order.applied();
      const auto follows = b.use(read, written);
      appended(follows);
      // The predecessors that it must have, and those that it may have.
      std::vector<std::uint64_t> conflicts;
      for (const box& r : read)
        for (auto e = r.min()[0]; e < r.max()[0]; ++e) conflicts.push_back(model[static_cast<std::size_t>(e)].writer);
      for (const box& w : written)
        for (auto e = w.min()[0]; e < w.max()[0]; ++e) {
          const model_front& f = model[static_cast<std::size_t>(e)];
          if (f.readers.empty()) conflicts.push_back(f.writer);
          conflicts.insert(conflicts.end(), f.readers.begin(), f.readers.end());
        }
      for (const std::uint64_t c : conflicts)
        if (!before[task].test(c)) fault = std::to_string(task) + " does not follow " + std::to_string(c);
      for (const std::uint64_t f : follows) {
        const bool is_asked =
            std::ranges::any_of(conflicts, [&](std::uint64_t c) { return std::max(c, applied) == f; });
        if (f < applied) fault = std::to_string(task) + " follows " + std::to_string(f) + ", behind the horizon";
        if (!is_asked) fault = std::to_string(task) + " follows " + std::to_string(f) + " for nothing";
      }
      for (const box& r : read)
        for (auto e = r.min()[0]; e < r.max()[0]; ++e) model[static_cast<std::size_t>(e)].readers.push_back(task);
      for (const box& w : written)
        for (auto e = w.min()[0]; e < w.max()[0]; ++e) model[static_cast<std::size_t>(e)] = {task, {}};
      if (below(horizon_one_in) == 0) {
        dependencies all;
        if (below(10) == 0) b.order.append_epoch(all);
        else b.order.append_horizon(all);
        appended(all);
        if (before.back().count() != before.size() - 1)
          fault = "horizon " + std::to_string(before.size() - 1) + " follows not all";
      }
    }
    REQUIRE(fault == "");
  }
}
