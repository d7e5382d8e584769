#include "geometry/use_conflict.hpp"

#include <algorithm>
#include <deque>

#include "geometry/floor_divide.hpp"

namespace stretto::geometry {
namespace {

struct part_uses {
  box part;
  box_list reads, writes;  // `writes` is empty if both are the same
};

/// The multiple of the grain that is nearest to the middle, if one lies between the first and the last item.
std::optional<coordinate> middle_cut(const box& part, int axis, coordinate grain) {
  const coordinate first = floor_divide(part.min()[axis], grain) + 1;  // the lowest possible cut, in grains
  const coordinate last = floor_divide(part.max()[axis] - 1, grain);   // the highest
  if (first > last) return std::nullopt;
  const coordinate middle = floor_divide(part.min()[axis] + part.length(axis) / 2, grain);
  return std::clamp(middle, first, last) * grain;
}

/// Nothing if no element that `readers` reads is written by `writers`.
std::optional<use_conflict> conflict_between(const part_uses& readers, const part_uses& writers, bool are_uses_equal) {
  for (const box& r : readers.reads)
    for (const box& w : are_uses_equal ? writers.reads : writers.writes)
      if (const box both = intersection(r, w); !both.is_empty())
        return use_conflict{readers.part, writers.part, both, r, w};
  return std::nullopt;
}

}  // namespace

std::optional<use_conflict> find_use_conflict(const divisible_range& range, std::size_t most_parts,
                                              const used_elements& reads, const used_elements* writes) {
  if (range.items.is_empty()) return std::nullopt;
  const bool are_uses_equal = !writes;
  const auto uses_of = [&](const box& part) {
    part_uses u{part, {}, {}};
    reads(part, u.reads);
    if (writes) (*writes)(part, u.writes);
    return u;
  };
  std::deque<part_uses> to_examine;  // the largest parts first
  to_examine.push_back(are_uses_equal ? part_uses{range.items, {}, {}} : uses_of(range.items));
  for (std::size_t parts = 1; !to_examine.empty(); to_examine.pop_front()) {
    const part_uses& whole = to_examine.front();
    if (!are_uses_equal && !conflict_between(whole, whole, false)) continue;
    const bool is_whole_range = whole.part == range.items;
    bool is_halved = false;  // its halves along the first possible axis are in the queue
    for (int axis = 0; axis < max_axes; ++axis) {
      if (!range.along[static_cast<std::size_t>(axis)]) continue;
      const auto cut = middle_cut(whole.part, axis, range.grain[axis]);
      if (!cut) continue;
      if ((parts += 2) > most_parts && !is_whole_range) return std::nullopt;
      point low_end = whole.part.max(), high_begin = whole.part.min();
      low_end[axis] = high_begin[axis] = *cut;
      part_uses low = uses_of(box::between(whole.part.min(), low_end));
      part_uses high = uses_of(box::between(high_begin, whole.part.max()));
      if (auto found = conflict_between(low, high, are_uses_equal)) return found;
      if (auto found = conflict_between(high, low, are_uses_equal)) return found;
      if (is_halved || most_parts == first_cuts) continue;
      is_halved = true;
      to_examine.push_back(std::move(low));
      to_examine.push_back(std::move(high));
    }
  }
  return std::nullopt;
}

}  // namespace stretto::geometry
