#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <vector>

#include "campaign.hpp"
#include "geometry/region.hpp"
#include "objects/split_by_speed.hpp"
#include "thrown_by.hpp"

using namespace stretto;
using namespace stretto::objects;

namespace {

using boxes = std::vector<box>;

boxes split_between(const box& range, std::vector<device_speed> speeds, coordinate grain = 1) {
  return split_by_speed(range, speeds, grain);
}

double end_of(const device_speed& s, coordinate cells, double items_per_cell) {
  return cells == 0 ? 0 : s.overhead_seconds + static_cast<double>(cells) * items_per_cell / s.items_per_second;
}

}  // namespace

TEST_CASE("parts are as large as devices are fast") {
  CHECK(split_between({0, 100}, {{1e6, 0}, {3e6, 0}}) == boxes{{0, 25}, {25, 100}});
  CHECK(split_between(box({0, 0}, {10, 7}), {{1, 0}, {0, 0}, {1, 0}}) ==
        boxes{box({0, 0}, {5, 7}), {}, box({5, 0}, {10, 7})});
  CHECK(split_between({0, 10}, {{1, 0}}) == boxes{{0, 10}});
  CHECK(split_between(box(), {{1, 0}, {1, 0}}) == boxes{{}, {}});
}

TEST_CASE("cuts lie on multiples of the grain, from wherever the range begins") {
  CHECK(split_between({-5, 21}, {{1, 0}, {1, 0}}, 8) == boxes{{-5, 8}, {8, 21}});
  CHECK(split_between(box({0, 3}, {1, 64}), {{1, 0}, {1, 0}}, 16) ==
        boxes{box({0, 3}, {1, 32}), box({0, 32}, {1, 64})});
}

TEST_CASE("a device whose overhead outlasts the work gets none of it") {
  CHECK(split_between({0, 1000}, {{1000, 0}, {1000, 5}}) == boxes{{0, 1000}, {}});
  CHECK(split_between({0, 10'000}, {{1000, 0}, {1000, 5}}) == boxes{{0, 7500}, {7500, 10'000}});
}

TEST_CASE("invalid arguments are refused") {
  CHECK(test::thrown_by([] { split_between({0, 10}, {{0, 0}}); }).starts_with("error B34"));
  CHECK(test::thrown_by([] { split_between({0, 10}, {{1, 0}}, 0); }).starts_with("error B35"));
}

TEST_CASE("no other cuts end earlier, over many seeds") {
  for (unsigned seed = 0; seed < test::scaled_of_one_thread(2'000u, 50'000u); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<coordinate>(random() % n); };
    std::vector<device_speed> speeds(1 + random() % 3);
    for (auto& s : speeds) s = {static_cast<double>(below(6)), static_cast<double>(below(4)) * 0.7};
    if (speeds[0].items_per_second == 0) speeds[0].items_per_second = 2;
    const coordinate cells = 1 + below(15), grain = 1 + below(3), rows = 1 + below(4), first = below(9) - 4;
    const box range = box::between({first * grain, 0, 0}, {(first + cells) * grain, rows, 1});
    const auto parts = split_by_speed(range, speeds, grain);
    REQUIRE(parts.size() == speeds.size());
    REQUIRE(region(std::span<const box>(parts)) == region(range));
    const double items = static_cast<double>(grain * rows);
    double ours = 0;
    std::uint64_t volume = 0;
    for (std::size_t d = 0; d < parts.size(); ++d) {
      if (!parts[d].is_empty()) REQUIRE(speeds[d].items_per_second > 0);
      volume += parts[d].volume();
      if (cells > 1) REQUIRE(parts[d].length(0) % grain == 0);
      ours = std::max(
          ours, end_of(speeds[d], static_cast<coordinate>(parts[d].volume() / static_cast<std::uint64_t>(grain * rows)),
                       items));
    }
    REQUIRE(volume == range.volume());
    double best = 1e300;
    const std::function<void(std::size_t, coordinate, double)> search = [&](std::size_t d, coordinate left,
                                                                            double end) {
      if (d == speeds.size()) {
        if (left == 0) best = std::min(best, end);
        return;
      }
      for (coordinate n = 0; n <= left; ++n)
        if (n == 0 || speeds[d].items_per_second > 0)
          search(d + 1, left - n, std::max(end, end_of(speeds[d], n, items)));
    };
    search(0, cells, 0);
    REQUIRE(ours <= best * (1 + 1e-9));
  }
}
