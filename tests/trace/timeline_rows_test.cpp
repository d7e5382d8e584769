#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "trace/timeline_rows.hpp"

using namespace stretto::trace;

namespace {

record span(ticks start, ticks end, kind k = kind::task) { return {.start = start, .end = end, .kind = k}; }

bool meet_without_nesting(const record& a, const record& b) {
  const bool apart = a.end <= b.start || b.end <= a.start;
  const bool nested = (a.start <= b.start && b.end <= a.end) || (b.start <= a.start && a.end <= b.end);
  return !apart && !nested;
}

}  // namespace

TEST_CASE("nested and separate spans share one row, outer first") {
  const std::vector<record> records{span(2, 4), span(5, 8), span(1, 9), span(9, 12)};
  const auto layout = lay_out_spans(records);
  CHECK(layout.rows == 1);
  CHECK(layout.order == std::vector<std::uint32_t>{2, 0, 1, 3});
}

TEST_CASE("spans that overlap in part get another row") {
  const std::vector<record> records{span(0, 10), span(5, 15), span(12, 20)};
  const auto layout = lay_out_spans(records);
  CHECK(layout.rows == 2);
  CHECK(layout.row == std::vector<std::uint8_t>{0, 1, 0});
}

TEST_CASE("of two spans with equal times the one written later is the outer one") {
  const std::vector<record> records{span(3, 7), span(3, 7)};
  CHECK(lay_out_spans(records).order == std::vector<std::uint32_t>{1, 0});
}

TEST_CASE("suspensions, messages and moments are not stacked") {
  const std::vector<record> records{span(0, 9, kind::suspended), span(1, 3, kind::message), span(2, 2, kind::counter),
                                    span(2, 2, kind::edge)};
  CHECK(lay_out_spans(records).order.empty());
}

TEST_CASE("more overlap than there are rows leaves spans without one") {
  std::vector<record> records;
  for (ticks i = 0; i < most_timeline_rows + 5; ++i) records.push_back(span(i, 1000 + i));
  const auto layout = lay_out_spans(records);
  CHECK(layout.rows == most_timeline_rows);
  CHECK(std::count(layout.row.begin(), layout.row.end(), timeline_layout::no_row) == 5);
}

TEST_CASE("for any spans, those of one row nest and none is lost") {
  const bool ok = rc::check([](const std::vector<std::pair<std::uint8_t, std::uint8_t>>& spans) {
    std::vector<record> records;
    for (const auto& [start, length] : spans) records.push_back(span(start, static_cast<ticks>(start) + length % 32));
    const auto layout = lay_out_spans(records);
    RC_ASSERT(layout.order.size() == records.size());
    auto indices = layout.order;
    std::sort(indices.begin(), indices.end());
    for (std::uint32_t i = 0; i < indices.size(); ++i) RC_ASSERT(indices[i] == i);
    for (std::size_t i = 0; i < layout.order.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (layout.row[i] == layout.row[j] && layout.row[i] != timeline_layout::no_row)
          RC_ASSERT(!meet_without_nesting(records[layout.order[i]], records[layout.order[j]]));
  });
  CHECK(ok);
}
