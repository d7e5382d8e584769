#include "graph/node_set.hpp"

#include <algorithm>

namespace stretto::graph {

bool node_set::contains(node_number n) const noexcept {
  return std::ranges::any_of(intervals_, [n](const interval& i) { return i.first <= n && n < i.last; });
}

std::uint64_t node_set::size() const noexcept {
  std::uint64_t n = 0;
  for (const interval& i : intervals_) n += i.last - i.first;
  return n;
}

void node_set::append(node_number first, node_number last) {
  if (first >= last) return;
  if (!intervals_.empty() && intervals_.back().last >= first)
    intervals_.back().last = std::max(intervals_.back().last, last);
  else intervals_.push_back({first, last});
}

node_set operator|(const node_set& a, const node_set& b) {
  node_set both;
  auto i = a.intervals_.begin(), j = b.intervals_.begin();
  while (i != a.intervals_.end() || j != b.intervals_.end()) {
    const bool of_a = j == b.intervals_.end() || (i != a.intervals_.end() && i->first <= j->first);
    const auto& next = of_a ? *i++ : *j++;
    both.append(next.first, next.last);
  }
  return both;
}

node_set operator-(const node_set& a, const node_set& b) {
  node_set rest;
  auto j = b.intervals_.begin();
  for (auto [first, last] : a.intervals_) {
    while (j != b.intervals_.end() && j->last <= first) ++j;
    for (auto cut = j; cut != b.intervals_.end() && cut->first < last; ++cut) {
      rest.append(first, cut->first);
      first = cut->last;
      if (first >= last) break;
    }
    rest.append(first, last);
  }
  return rest;
}

std::string node_set::text() const {
  std::string s;
  for (const auto& [first, last] : intervals_) {
    s += (s.empty() ? "N" : " N") + std::to_string(first);
    if (last - first > 1) s += "-N" + std::to_string(last - 1);
  }
  return s.empty() ? "none" : s;
}

}  // namespace stretto::graph
