#include "trace/arrows.hpp"

#include <algorithm>
#include <tuple>

namespace stretto::trace {
namespace {

bool by_id_and_start(const drawn_span& a, const drawn_span& b) {
  return std::tie(a.id, a.start_ns, a.end_ns) < std::tie(b.id, b.start_ns, b.end_ns);
}

bool by_cause_and_time(const effect& a, const effect& b) {
  return std::tie(a.cause, a.at_ns, a.node, a.row) < std::tie(b.cause, b.at_ns, b.node, b.row);
}

template <class Range, class Less>
void sort_if_needed(Range& range, Less less) {
  if (!std::is_sorted(range.begin(), range.end(), less)) std::sort(range.begin(), range.end(), less);
}

// Sets the position of effect `e`: the first span of its id from then on, else the last one before.
bool locate(const std::vector<drawn_span>& spans, effect& e) {
  const auto next = std::lower_bound(spans.begin(), spans.end(), drawn_span{e.id, e.at_ns, e.at_ns}, by_id_and_start);
  auto found = spans.end();
  if (next != spans.end() && next->id == e.id) found = next;
  else if (next != spans.begin() && std::prev(next)->id == e.id) found = std::prev(next);
  if (found == spans.end()) return false;
  e.at_ns = found->start_ns;
  e.node = found->node;
  e.row = found->row;
  return true;
}

}  // namespace

std::vector<arrow> find_arrows(std::vector<drawn_span> spans, std::vector<effect> effects) {
  sort_if_needed(spans, by_id_and_start);
  std::erase_if(effects, [&](effect& e) { return e.cause == 0 || (e.id != 0 && !locate(spans, e)); });
  sort_if_needed(effects, by_cause_and_time);

  std::vector<arrow> arrows;
  arrows.reserve(effects.size());
  auto next = spans.begin();  // the first span that comes too late to be the cause
  for (const effect& e : effects) {
    while (next != spans.end() && (next->id < e.cause || (next->id == e.cause && next->start_ns <= e.at_ns))) ++next;
    if (next == spans.begin()) continue;
    const drawn_span& cause = *std::prev(next);
    if (cause.id != e.cause) continue;
    // Viewers attach an arrow to the span that is open at its time, and at its end a span is already closed.
    const std::int64_t last_inside = std::max(cause.start_ns, cause.end_ns - 1);
    arrows.push_back({{std::min(last_inside, e.at_ns), cause.node, cause.row}, {e.at_ns, e.node, e.row}});
  }
  return arrows;
}

}  // namespace stretto::trace
