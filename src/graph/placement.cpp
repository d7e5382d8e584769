#include "graph/placement.hpp"

#include <algorithm>

namespace stretto::graph {

placement::allocation* placement::find(memory_number m, const box& where) {
  for (allocation& a : allocations_)
    if (a.where == m && a.elements.contains(where)) return &a;
  return nullptr;
}

placement::allocation& placement::at(allocation_id a) { return *std::ranges::find(allocations_, a, &allocation::is); }

void placement::drop(allocation_id a) {
  const allocation& evicted = at(a);
  valid_.apply({drops, evicted.where, evicted.elements},
               [&](validity& is, std::vector<valid_part>&) { is.lost(evicted.elements, evicted.where); });
  std::erase_if(allocations_, [a](const allocation& one) { return one.is == a; });
}

box placement::box_to_allocate(memory_number m, const box& where) const {
  box all = where;
  for (bool grown = true; grown;) {
    grown = false;
    for (const allocation& a : allocations_) {
      if (a.where != m || all.contains(a.elements)) continue;
      if (!a.elements.meets(all) && joined(a.elements, all).is_empty()) continue;
      all = hull(all, a.elements);
      grown = true;
    }
  }
  return all;
}

namespace {

/// True if `part` is adjacent to `all` along one axis, and within it along the others.
bool is_at_border(const box& part, const box& all) {
  int axes_outside = 0;
  for (int a = 0; a < max_axes; ++a) {
    if (part.min()[a] >= all.min()[a] && part.max()[a] <= all.max()[a]) continue;
    if (part.min()[a] != all.max()[a] && part.max()[a] != all.min()[a]) return false;
    ++axes_outside;
  }
  return axes_outside == 1;
}

}  // namespace

box placement::joined_with_growing(memory_number m, const box& where) const {
  for (const allocation& a : allocations_)
    if (a.where == m && a.growths >= repeated_growth && is_at_border(where, a.elements))
      return box_to_allocate(m, hull(where, a.elements));
  return where;
}

box placement::box_with_growth(memory_number m, const box& needed) const {
  const box where = joined_with_growing(m, needed);
  box before;  // the largest allocation that is replaced
  std::uint32_t grown = 0;
  for (const allocation& a : allocations_) {
    if (a.where != m || !where.contains(a.elements)) continue;
    grown = std::max(grown, a.growths);
    if (a.elements.volume() > before.volume()) before = a.elements;
  }
  if (grown == 0) return where;
  point min = where.min(), max = where.max();
  for (int a = 0; a < max_axes; ++a) {
    const coordinate more = (before.length(a) + 1) / 2;
    if (min[a] < before.min()[a]) min[a] -= more;
    if (max[a] > before.max()[a]) max[a] += more;
  }
  return box_to_allocate(m, intersection(box::between(min, max), elements_));
}

std::vector<placement::allocation> placement::remove_within(memory_number m, const box& where) {
  std::vector<allocation> taken;
  const auto kept = std::stable_partition(allocations_.begin(), allocations_.end(), [&](const allocation& a) {
    return a.where != m || !where.contains(a.elements);
  });
  std::move(kept, allocations_.end(), std::back_inserter(taken));
  allocations_.erase(kept, allocations_.end());
  return taken;
}

}  // namespace stretto::graph
