#include "trace/timeline_rows.hpp"

#include <algorithm>

namespace stretto::trace {

timeline_layout lay_out_spans(std::span<const record> records) {
  const auto start = [&](std::uint32_t i) { return std::min(records[i].start, records[i].end); };
  timeline_layout layout;
  layout.order.reserve(records.size());
  for (std::uint32_t i = 0; i < records.size(); ++i)
    if (is_stacked(records[i].kind)) layout.order.push_back(i);

  // Of spans with equal times, the one written later is the outer one: it ended later.
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (start(a) != start(b)) return start(a) < start(b);
    if (records[a].end != records[b].end) return records[a].end > records[b].end;
    return a > b;
  };
  if (!std::is_sorted(layout.order.begin(), layout.order.end(), before))
    std::sort(layout.order.begin(), layout.order.end(), before);

  std::vector<std::vector<ticks>> open(most_timeline_rows);  // per row: ends of the spans that are open
  layout.row.reserve(layout.order.size());
  for (const std::uint32_t i : layout.order) {
    std::uint8_t row = 0;
    for (; row < most_timeline_rows; ++row) {
      auto& ends = open[row];
      while (!ends.empty() && ends.back() <= start(i)) ends.pop_back();
      if (ends.empty() || records[i].end <= ends.back()) break;
    }
    if (row == most_timeline_rows) {
      layout.row.push_back(timeline_layout::no_row);
      continue;
    }
    open[row].push_back(records[i].end);
    layout.row.push_back(row);
    layout.rows = std::max<unsigned>(layout.rows, row + 1u);
  }
  return layout;
}

}  // namespace stretto::trace
