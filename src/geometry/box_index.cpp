#include "geometry/box_index.hpp"

#include <algorithm>

namespace stretto::geometry {
namespace {

// Floating point, because volumes of hulls overflow integers. Only speed depends on it, never an answer.
double length(const box& b, int axis) { return static_cast<double>(b.length(axis)); }
double volume(const box& b) { return length(b, 0) * length(b, 1) * length(b, 2); }
double outline(const box& b) { return length(b, 0) + length(b, 1) + length(b, 2); }

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

void box_index::free_node(std::uint32_t n) { free_.push_back(n); }

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
  if (sibling == none) return;
  const std::uint32_t old = root_;
  root_ = new_node(level(old) + 1);
  node& top = nodes_[root_];
  top.entries[0] = {bounds(old), old};
  top.entries[1] = {bounds(sibling), sibling};
  top.count = 2;
}

// Where the hull grows least, the smaller one of equals. Most often it need not grow.
std::size_t box_index::where_to_insert(std::uint32_t n, const box& b) const noexcept {
  const node& here = nodes_[n];
  std::size_t best = most;
  double least_growth = 0, least_volume = 0;
  for (std::size_t i = 0; i < here.count; ++i) {
    if (!here.entries[i].box.contains(b)) continue;
    const double now = volume(here.entries[i].box);
    if (best == most || now < least_volume) best = i, least_volume = now;
  }
  if (best != most) return best;
  for (std::size_t i = 0; i < here.count; ++i) {
    const double now = volume(here.entries[i].box);
    const double growth = volume(hull(here.entries[i].box, b)) - now;
    if (i == 0 || growth < least_growth || (growth == least_growth && now < least_volume))
      best = i, least_growth = growth, least_volume = now;
  }
  return best;
}

// Returns the node that split off, or none.
std::uint32_t box_index::insert_below(std::uint32_t n, const entry& e, unsigned at_level) {
  if (level(n) > at_level) {
    const std::size_t best = where_to_insert(n, e.box);
    const std::uint32_t child = nodes_[n].entries[best].number;
    const std::uint32_t sibling = insert_below(child, e, at_level);
    nodes_[n].entries[best].box = sibling == none ? hull(nodes_[n].entries[best].box, e.box) : bounds(child);
    if (sibling == none) return none;
    const entry split_off{bounds(sibling), sibling};
    if (nodes_[n].count == most) return split(n, split_off);
    nodes_[n].entries[nodes_[n].count++] = split_off;
    return none;
  }
  if (nodes_[n].count == most) return split(n, e);
  nodes_[n].entries[nodes_[n].count++] = e;
  return none;
}

// Sorts the entries along each axis and cuts where the outlines of both sides together are shortest.
std::uint32_t box_index::split(std::uint32_t n, const entry& extra) {
  constexpr std::size_t total = most + 1;
  std::array<entry, total> all, best;
  std::copy_n(nodes_[n].entries.begin(), most, all.begin());
  all[most] = extra;
  double shortest = 0;
  std::size_t cut = 0;
  for (int axis = 0; axis < max_axes; ++axis) {
    const auto begins_with_first = [&](const entry& e) { return e.box.min()[axis] == all[0].box.min()[axis]; };
    if (axis > 0 && std::all_of(all.begin(), all.end(), begins_with_first)) continue;  // in the order of axis 0 already
    std::sort(all.begin(), all.end(), [axis](const entry& a, const entry& b) {
      if (a.box.min()[axis] != b.box.min()[axis]) return a.box.min()[axis] < b.box.min()[axis];
      return a.box < b.box;
    });
    std::array<box, total + 1> from_end;
    for (std::size_t i = total; i-- > 0;) from_end[i] = hull(from_end[i + 1], all[i].box);
    box from_front;
    for (std::size_t i = 0; i < total; ++i) {
      if (i >= fewest && total - i >= fewest) {
        const double sum = outline(from_front) + outline(from_end[i]);
        if (cut == 0 || sum < shortest) shortest = sum, cut = i, best = all;
      }
      from_front = hull(from_front, all[i].box);
    }
  }
  const std::uint32_t sibling = new_node(level(n));
  node &low = nodes_[n], &high = nodes_[sibling];
  std::copy_n(best.begin(), cut, low.entries.begin());
  low.count = static_cast<std::uint8_t>(cut);
  std::copy_n(best.begin() + cut, total - cut, high.entries.begin());
  high.count = static_cast<std::uint8_t>(total - cut);
  return sibling;
}

bool box_index::erase(const box& b) {
  if (root_ == none || b.is_empty() || !erase_below(root_, b)) return false;
  --size_;
  // The tree is still as deep as before, so each finds a node of its level.
  for (const orphan& o : orphans_) insert_at(o.what, o.level);
  orphans_.clear();
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
    if (nodes_[child].count >= fewest) {
      here.entries[i].box = bounds(child);
    } else {
      for (std::size_t k = 0; k < nodes_[child].count; ++k)
        orphans_.push_back({nodes_[child].entries[k], nodes_[child].level});
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

box_index::entry* box_index::find_in_leaf(std::uint32_t n, const box& b, std::uint32_t& leaf) {
  node& here = nodes_[n];
  for (std::size_t i = 0; i < here.count; ++i) {
    entry& e = here.entries[i];
    if (here.level == 0) {
      if (e.box != b) continue;
      leaf = n;
      return &e;
    }
    if (!e.box.contains(b)) continue;
    if (entry* const found = find_in_leaf(e.number, b, leaf)) return found;
  }
  return nullptr;
}

// What the leaf holds together stays as it is, and so do the hulls above.
bool box_index::divide(const box& from, const box& to, std::span<const entry> rest) {
  std::uint32_t leaf = none;
  entry* const found = root_ == none ? nullptr : find_in_leaf(root_, from, leaf);
  if (!found) return false;
  if (nodes_[leaf].count + rest.size() > most) {
    shrink(from, to);
    for (const entry& e : rest) insert(e.box, e.number);
    return true;
  }
  found->box = to;
  for (const entry& e : rest) nodes_[leaf].entries[nodes_[leaf].count++] = e;
  size_ += rest.size();
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
    if (here.level == 0)
      out.push_back(e);
    else
      find_below(e.number, b, out);
  }
}

bool box_index::is_sound() const {
  std::size_t boxes = 0;
  return (root_ == none ? size_ == 0 : is_sound_below(root_, boxes) && boxes == size_) && orphans_.empty();
}

bool box_index::is_sound_below(std::uint32_t n, std::size_t& boxes) const {
  const node& here = nodes_[n];
  if (here.count > most || here.count < (n == root_ ? (here.level == 0 ? 1 : 2) : fewest)) return false;
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
