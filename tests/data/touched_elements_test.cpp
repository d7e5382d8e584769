// The elements that kernels used, one by one.
#include "data/touched_elements.hpp"

#include <doctest/doctest.h>

#include <random>
#include <set>

namespace stretto {

TEST_CASE("recorded uses are known element by element, in one to three axes") {
  std::mt19937 random(5);
  const auto below = [&](coordinate n) { return static_cast<coordinate>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    const int axes = 1 + round % 3;
    point min, max(1, 1, 1);
    for (int a = 0; a < axes; ++a) min[a] = below(5) - 2, max[a] = min[a] + 1 + below(9);
    const box all = box::between(min, max);
    touched_elements t(all, all);
    std::set<point> noted;
    // Uses boxes rather than elements, so that some are adjacent.
    for (int n = static_cast<int>(below(6)); n > 0; --n) {
      point low = min;
      for (int a = 0; a < axes; ++a) low[a] += below(all.length(a));
      const box one = intersection(box::sized(low, {1 + below(4), 1 + below(4), 1 + below(4)}), all);
      for (coordinate i = one.min()[0]; i < one.max()[0]; ++i)
        for (coordinate j = one.min()[1]; j < one.max()[1]; ++j)
          for (coordinate k = one.min()[2]; k < one.max()[2]; ++k) {
            const std::int64_t at[] = {i, j, k};
            kernels::note_touched(t, at, static_cast<std::size_t>(axes));
            noted.insert(point(i, j, k));
          }
    }
    const auto is = t.elements();
    REQUIRE(is);
    CHECK(is->volume() == noted.size());
    CHECK(t.count() == noted.size());
    for (const point& p : noted) CHECK(is->contains(p));
  }
}

TEST_CASE("of scattered elements it is known how many they are, and of large arrays the least box") {
  const box line(0, 3 * static_cast<coordinate>(touched_elements::most_boxes));
  touched_elements t(line, line);
  for (std::int64_t i = 0; i < line.max()[0]; i += 2) kernels::note_touched(t, &i, 1);
  CHECK_FALSE(t.elements());
  CHECK(t.count() == line.volume() / 2);

  const box large(0, static_cast<coordinate>(touched_elements::most_marked) + 1);
  touched_elements l(large, large);
  for (const std::int64_t i : {7, 1000}) kernels::note_touched(l, &i, 1);
  CHECK_FALSE(l.elements());
  CHECK(l.count() == 0);
  CHECK(l.bounds() == box(7, 1001));
}

}  // namespace stretto
