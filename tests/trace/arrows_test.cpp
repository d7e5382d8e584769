#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>

#include "trace/arrows.hpp"

using namespace stretto::trace;

TEST_CASE("an arrow leaves inside the end of its cause and enters where the effect begins") {
  const auto arrows = find_arrows({{.id = 1, .start_ns = 10, .end_ns = 20, .node = 0, .row = 1}},
                                  {{.cause = 1, .at_ns = 30, .node = 2, .row = 3}});
  REQUIRE(arrows.size() == 1);
  CHECK(arrows[0].from.at_ns == 19);
  CHECK(arrows[0].from.row == 1);
  CHECK(arrows[0].to.at_ns == 30);
  CHECK(arrows[0].to.node == 2);
  CHECK(arrows[0].to.row == 3);
}

TEST_CASE("a task made by one that still runs is joined to it at its own beginning") {
  const auto arrows = find_arrows({{.id = 1, .start_ns = 10, .end_ns = 90}}, {{.cause = 1, .at_ns = 30}});
  REQUIRE(arrows.size() == 1);
  CHECK(arrows[0].from.at_ns == 30);
}

TEST_CASE("of a cause that was suspended the latest part before the effect counts") {
  const auto arrows = find_arrows({{.id = 1, .start_ns = 50, .end_ns = 60, .row = 3},
                                   {.id = 1, .start_ns = 10, .end_ns = 20, .row = 1},
                                   {.id = 1, .start_ns = 30, .end_ns = 40, .row = 2}},
                                  {{.cause = 1, .at_ns = 45}});
  REQUIRE(arrows.size() == 1);
  CHECK(arrows[0].from.row == 2);
}

TEST_CASE("an effect known by its id is found at its next span, or else its last") {
  const std::vector<drawn_span> spans{{.id = 1, .start_ns = 0, .end_ns = 5, .row = 1},
                                      {.id = 2, .start_ns = 10, .end_ns = 12, .row = 2},
                                      {.id = 2, .start_ns = 20, .end_ns = 22, .row = 3}};
  CHECK(find_arrows(spans, {{.cause = 1, .id = 2, .at_ns = 6}}).at(0).to.row == 2);
  CHECK(find_arrows(spans, {{.cause = 1, .id = 2, .at_ns = 11}}).at(0).to.row == 3);
  CHECK(find_arrows(spans, {{.cause = 1, .id = 2, .at_ns = 99}}).at(0).to.row == 3);
  CHECK(find_arrows(spans, {{.cause = 1, .id = 9, .at_ns = 6}}).empty());
}

TEST_CASE("no arrow without a cause, to an unknown one, or back in time") {
  const std::vector<drawn_span> spans{{.id = 5, .start_ns = 10, .end_ns = 20}};
  CHECK(find_arrows(spans, {{.cause = 0, .at_ns = 30}}).empty());
  CHECK(find_arrows(spans, {{.cause = 4, .at_ns = 30}}).empty());
  CHECK(find_arrows(spans, {{.cause = 6, .at_ns = 30}}).empty());
  CHECK(find_arrows(spans, {{.cause = 5, .at_ns = 9}}).empty());
}

TEST_CASE("arrows are those that a plain search finds") {
  const bool ok = rc::check([](const std::vector<std::tuple<std::uint8_t, std::uint8_t, std::uint8_t>>& raw_spans,
                               const std::vector<std::pair<std::uint8_t, std::uint8_t>>& raw_effects) {
    std::vector<drawn_span> spans;
    for (const auto& [id, start, length] : raw_spans)
      spans.push_back({id % 6u + 1u, start, start + length, 0, static_cast<std::uint32_t>(spans.size())});
    std::vector<effect> effects;
    for (const auto& [cause, at] : raw_effects)
      effects.push_back({cause % 8u, 0, at, 0, static_cast<std::uint32_t>(effects.size())});

    const auto arrows = find_arrows(spans, effects);
    std::size_t expected = 0;
    for (const effect& e : effects) {
      std::optional<std::int64_t> latest;
      for (const drawn_span& s : spans)
        if (s.id == e.cause && s.start_ns <= e.at_ns) latest = std::max(latest.value_or(0), s.start_ns);
      if (!latest || e.cause == 0) continue;
      ++expected;
      const auto drawn = std::find_if(arrows.begin(), arrows.end(), [&](const arrow& a) { return a.to.row == e.row; });
      RC_ASSERT(drawn != arrows.end());
      const drawn_span& from = spans[drawn->from.row];
      RC_ASSERT(from.id == e.cause);
      RC_ASSERT(from.start_ns == *latest);
      RC_ASSERT(drawn->from.at_ns >= from.start_ns);
      RC_ASSERT(drawn->from.at_ns <= std::min(from.end_ns, e.at_ns));
    }
    RC_ASSERT(arrows.size() == expected);
  });
  CHECK(ok);
}
