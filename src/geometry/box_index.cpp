#include "geometry/box_index.hpp"

#include <algorithm>

namespace stretto::geometry {
namespace {

// In floating point, because the volumes of hulls may overflow integers. Rounding affects speed, but no result.
double length(const box& b, int axis) { return static_cast<double>(b.length(axis)); }
double volume(const box& b) { return length(b, 0) * length(b, 1) * length(b, 2); }
double margin(const box& b) { return length(b, 0) + length(b, 1) + length(b, 2); }

}  // namespace

std::uint32_t box_index::new_node(unsigned level) {
  std::uint32_t n;
  if (free_.empty()) {
    n = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    n = free_.back();
    free_.pop_back();
  }
  nodes_[n].level = static_cast<std::uint8_t>(level);
  nodes_[n].count = 0;
  return n;
}

void box_index::free_node(std::uint32_t n) {
  nodes_[n].count = 0;
  free_.push_back(n);
}

void box_index::clear() {
  nodes_.clear();
  free_.clear();
  root_ = none;
  size_ = 0;
}

box box_index::bounds(std::uint32_t n) const noexcept {
  const node& at = nodes_[n];
  if (at.count == 0) return {};
  point min = at.entries[0].box.min(), max = at.entries[0].box.max();  // no box is empty
  for (std::size_t i = 1; i < at.count; ++i)
    for (int a = 0; a < max_axes; ++a) {
      min[a] = std::min(min[a], at.entries[i].box.min()[a]);
      max[a] = std::max(max[a], at.entries[i].box.max()[a]);
    }
  return box::between(min, max);
}

void box_index::insert(const box& b, std::uint32_t number) {
  insert_at({b, number}, 0);
  ++size_;
}

void box_index::insert_at(const entry& e, unsigned at_level) {
  if (root_ == none) root_ = new_node(at_level);
  const std::uint32_t sibling = insert_below(root_, e, at_level);
  if (sibling != none) grow(sibling);
}

void box_index::grow(std::uint32_t sibling) {
  const std::uint32_t old = root_;
  root_ = new_node(level(old) + 1);
  node& top = nodes_[root_];
  top.entries[0] = {bounds(old), old};
  top.entries[1] = {bounds(sibling), sibling};
  top.count = 2;
}

// Chooses the smallest entry that contains the box. If none does: the one whose hull grows least, the smaller of
// equals.
std::size_t box_index::where_to_insert(std::uint32_t n, const box& b) const noexcept {
  const node& here = nodes_[n];
  std::size_t best = max_entries;
  double least_growth = 0, least_volume = 0;
  for (std::size_t i = 0; i < here.count; ++i) {
    if (!here.entries[i].box.contains(b)) continue;
    const double now = volume(here.entries[i].box);
    if (best == max_entries || now < least_volume) best = i, least_volume = now;
  }
  if (best != max_entries) return best;
  for (std::size_t i = 0; i < here.count; ++i) {
    const double now = volume(here.entries[i].box);
    const double growth = volume(hull(here.entries[i].box, b)) - now;
    if (i == 0 || growth < least_growth || (growth == least_growth && now < least_volume))
      best = i, least_growth = growth, least_volume = now;
  }
  return best;
}

// Inserts below node n. Returns the node that was split off from n, or none.
std::uint32_t box_index::insert_below(std::uint32_t n, const entry& e, unsigned at_level) {
  if (level(n) > at_level) {
    const std::size_t best = where_to_insert(n, e.box);
    const std::uint32_t child = nodes_[n].entries[best].number;
    const std::uint32_t sibling = insert_below(child, e, at_level);
    nodes_[n].entries[best].box = sibling == none ? hull(nodes_[n].entries[best].box, e.box) : bounds(child);
    if (sibling == none) return none;
    const entry split_off{bounds(sibling), sibling};
    if (nodes_[n].count == max_entries) return split(n, split_off);
    nodes_[n].entries[nodes_[n].count++] = split_off;
    return none;
  }
  if (nodes_[n].count == max_entries) return split(n, e);
  nodes_[n].entries[nodes_[n].count++] = e;
  return none;
}

namespace {

/// Sorts the indices of entries by the minimum of their boxes along an axis; equal ones by the whole box. Insertion
/// sort: the entries are few and often sorted already.
template <std::size_t Count, class Entries>
void sort_along(int axis, const Entries& all, std::array<std::uint8_t, Count>& order) {
  const auto is_before = [&](std::uint8_t i, std::uint8_t j) {
    const coordinate a = all[i].box.min()[axis], b = all[j].box.min()[axis];
    return a != b ? a < b : all[i].box < all[j].box;
  };
  for (std::size_t i = 1; i < Count; ++i) {
    const std::uint8_t moved = order[i];
    std::size_t to = i;
    for (; to > 0 && is_before(moved, order[to - 1]); --to) order[to] = order[to - 1];
    order[to] = moved;
  }
}

}  // namespace

// Sorts the entries along each axis and splits where the hulls of both sides have the least sum of margins.
std::uint32_t box_index::split(std::uint32_t n, const entry& extra) {
  constexpr std::size_t total = max_entries + 1;
  std::array<entry, total> all;
  std::copy_n(nodes_[n].entries.begin(), max_entries, all.begin());
  all[max_entries] = extra;
  std::array<std::uint8_t, total> order, best;
  for (std::size_t i = 0; i < total; ++i) order[i] = static_cast<std::uint8_t>(i);
  double least_margin = 0;
  std::size_t cut = 0;
  for (int axis = 0; axis < max_axes; ++axis) {
    const auto begins_with_first = [&](const entry& e) { return e.box.min()[axis] == all[0].box.min()[axis]; };
    const bool is_last_chance = cut == 0 && axis == max_axes - 1;
    if (!is_last_chance && std::all_of(all.begin(), all.end(), begins_with_first))
      continue;  // this axis separates nothing
    sort_along(axis, all, order);
    std::array<box, total> from_end;  // the hull of all from here on
    from_end[total - 1] = all[order[total - 1]].box;
    for (std::size_t i = total - 1; i-- > min_entries;) from_end[i] = hull(from_end[i + 1], all[order[i]].box);
    box from_front = all[order[0]].box;
    for (std::size_t i = 1; i <= total - min_entries; ++i) {
      if (i >= min_entries) {
        const double sum = margin(from_front) + margin(from_end[i]);
        if (cut == 0 || sum < least_margin) least_margin = sum, cut = i, best = order;
      }
      from_front = hull(from_front, all[order[i]].box);
    }
  }
  const std::uint32_t sibling = new_node(level(n));
  node &low = nodes_[n], &high = nodes_[sibling];
  for (std::size_t i = 0; i < total; ++i) (i < cut ? low.entries[i] : high.entries[i - cut]) = all[best[i]];
  low.count = static_cast<std::uint8_t>(cut);
  high.count = static_cast<std::uint8_t>(total - cut);
  return sibling;
}

bool box_index::erase(const box& b) {
  if (root_ == none || b.is_empty() || !erase_below(root_, b)) return false;
  --size_;
  // Insert the entries of dissolved nodes again. The tree is still as deep as before, so it has nodes of their levels.
  for (const displaced_entry& e : displaced_) insert_at(e.is, e.level);
  displaced_.clear();
  while (root_ != none && level(root_) > 0 && nodes_[root_].count == 1) {
    const std::uint32_t only = nodes_[root_].entries[0].number;
    free_node(root_);
    root_ = only;
  }
  if (nodes_[root_].count == 0) clear();
  return true;
}

bool box_index::erase_below(std::uint32_t n, const box& b) {
  node& here = nodes_[n];
  for (std::size_t i = 0; i < here.count; ++i) {
    if (here.level == 0) {
      if (here.entries[i].box != b) continue;
      here.entries[i] = here.entries[--here.count];
      return true;
    }
    const std::uint32_t child = here.entries[i].number;
    if (!here.entries[i].box.contains(b) || !erase_below(child, b)) continue;
    if (nodes_[child].count >= min_entries) {
      here.entries[i].box = bounds(child);
    } else {
      for (std::size_t k = 0; k < nodes_[child].count; ++k)
        displaced_.push_back({nodes_[child].entries[k], nodes_[child].level});
      free_node(child);
      here.entries[i] = here.entries[--here.count];
    }
    return true;
  }
  return false;
}

bool box_index::shrink(const box& from, const box& to) { return root_ != none && shrink_below(root_, from, to); }

bool box_index::shrink_below(std::uint32_t n, const box& from, const box& to) {
  node& here = nodes_[n];
  for (std::size_t i = 0; i < here.count; ++i) {
    entry& e = here.entries[i];
    if (here.level == 0) {
      if (e.box != from) continue;
      e.box = to;
      return true;
    }
    if (!e.box.contains(from) || !shrink_below(e.number, from, to)) continue;
    e.box = bounds(e.number);
    return true;
  }
  return false;
}

bool box_index::find_path(std::uint32_t n, const box& b, path& to) const {
  const node& here = nodes_[n];
  for (std::uint32_t i = 0; i < here.count; ++i) {
    const entry& e = here.entries[i];
    if (here.level == 0 ? e.box != b : !e.box.contains(b) || !find_path(e.number, b, to)) continue;
    to[here.level] = {n, i};
    return true;
  }
  return false;
}

// Adds an entry to a full leaf and splits nodes on the way up. The entry lies within the leaf's hull, so no other hull
// changes.
void box_index::add_to_leaf(const path& to, const entry& extra) {
  entry e = extra;
  for (unsigned at = 0;; ++at) {
    node& here = nodes_[to[at].node];
    if (here.count < max_entries) {
      here.entries[here.count++] = e;
      return;
    }
    const std::uint32_t sibling = split(to[at].node, e);
    if (at == 0 && entry_in_leaf(sibling, extra.box) < nodes_[sibling].count) last_divided_ = sibling;
    e = {bounds(sibling), sibling};
    if (to[at].node == root_) {
      grow(sibling);
      return;
    }
    nodes_[to[at + 1].node].entries[to[at + 1].entry].box = bounds(to[at].node);
  }
}

std::size_t box_index::entry_in_leaf(std::uint32_t n, const box& b) const {
  std::size_t i = 0;
  while (i < nodes_[n].count && nodes_[n].entries[i].box != b) ++i;
  return i;
}

// Programs often divide the remainder of the box that they divided last, so that leaf is tried first.
bool box_index::divide(const box& from, const box& to, std::span<const entry> rest) {
  if (root_ == none) return false;
  if (last_divided_ < nodes_.size() && level(last_divided_) == 0) {
    node& leaf = nodes_[last_divided_];
    const std::size_t at = entry_in_leaf(last_divided_, from);
    if (at < leaf.count && leaf.count + rest.size() <= max_entries) {
      leaf.entries[at].box = to;
      for (const entry& e : rest) leaf.entries[leaf.count++] = e;
      size_ += rest.size();
      return true;
    }
  }
  path found;
  if (!find_path(root_, from, found)) return false;
  last_divided_ = found[0].node;
  node& leaf = nodes_[last_divided_];
  if (leaf.count + rest.size() > max_entries + 1u) {
    shrink(from, to);
    for (const entry& e : rest) insert(e.box, e.number);
    return true;
  }
  leaf.entries[found[0].entry].box = to;
  size_ += rest.size();
  for (const entry& e : rest) {
    if (leaf.count == max_entries) return add_to_leaf(found, e), true;  // the last one
    leaf.entries[leaf.count++] = e;
  }
  return true;
}

void box_index::find(const box& b, std::vector<entry>& out) const {
  if (root_ != none) find_below(root_, b, out);
}

void box_index::find_below(std::uint32_t n, const box& b, std::vector<entry>& out) const {
  const node& here = nodes_[n];
  for (std::size_t i = 0; i < here.count; ++i) {
    const entry& e = here.entries[i];
    if (!e.box.meets(b)) continue;
    if (here.level == 0) out.push_back(e);
    else find_below(e.number, b, out);
  }
}

bool box_index::is_sound() const {
  std::size_t boxes = 0;
  return (root_ == none ? size_ == 0 : is_sound_below(root_, boxes) && boxes == size_) && displaced_.empty();
}

bool box_index::is_sound_below(std::uint32_t n, std::size_t& boxes) const {
  const node& here = nodes_[n];
  if (here.count > max_entries || here.count < (n == root_ ? (here.level == 0 ? 1 : 2) : min_entries)) return false;
  if (here.level == 0) {
    boxes += here.count;
    return true;
  }
  for (std::size_t i = 0; i < here.count; ++i) {
    const std::uint32_t child = here.entries[i].number;
    if (level(child) + 1 != here.level || here.entries[i].box != bounds(child) || !is_sound_below(child, boxes))
      return false;
  }
  return true;
}

}  // namespace stretto::geometry
