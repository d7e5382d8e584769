// box_index.hpp - an R-tree: a set of distinct boxes, mostly disjoint, each with a number. Finds those that meet a box.
//
// Threads     one owner.
// Cost        insert, erase: O(log n). find: O(log n + found) if the boxes lie like tiles or intervals, because then
//             the tree nodes hardly overlap either. Up to 16 boxes: one linear scan. About 90 bytes per box.
// Invariants  (1) all leaves have the same depth; each node but the root holds 6 to 16 entries. (2) a node's box in its
//             parent is the hull of its own entries.
// Source      R-trees: Guttman, SIGMOD 1984; splits with the least sum of edge lengths: R*-trees, Beckmann
//             and others, SIGMOD 1990, which call this sum the margin. With intervals it is a B+-tree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <stretto/box.hpp>

namespace stretto::geometry {

class box_index {
 public:
  struct entry {
    stretto::box box;
    std::uint32_t number;
    friend bool operator==(const entry&, const entry&) = default;
    friend auto operator<=>(const entry&, const entry&) = default;
  };

  /// `b` is not empty and is not in the index.
  void insert(const box& b, std::uint32_t number);
  /// False if exactly this box is not in the index.
  bool erase(const box& b);
  /// The entry with exactly the box `from` gets the box `to`, which lies in it and is not empty. As erase otherwise.
  bool shrink(const box& from, const box& to);
  /// The same, and inserts `rest`; `to` and `rest` together must be a partition of `from`. Cost: as find if one leaf
  /// has enough free entries.
  bool divide(const box& from, const box& to, std::span<const entry> rest);
  /// Appends the entries that share a point with `b`, in no particular order.
  void find(const box& b, std::vector<entry>& out) const;

  std::size_t size() const noexcept { return size_; }
  void clear();

  /// Levels of the tree: 1 up to 16 boxes.
  unsigned depth() const noexcept { return root_ == none ? 0 : level(root_) + 1u; }
  /// Whether the invariants hold; for tests. Cost: O(n).
  bool is_sound() const;

 private:
  static constexpr std::size_t max_entries = 16, min_entries = 6;
  static constexpr std::uint32_t none = UINT32_MAX;

  struct node {
    std::uint8_t level = 0;  // 0: leaf, entries are the boxes; else entries are nodes one level down
    std::uint8_t count = 0;
    std::array<entry, max_entries> entries;
  };

  unsigned level(std::uint32_t n) const noexcept { return nodes_[n].level; }
  std::uint32_t new_node(unsigned level);
  void free_node(std::uint32_t n);
  box bounds(std::uint32_t n) const noexcept;
  void insert_at(const entry& e, unsigned level);
  std::size_t where_to_insert(std::uint32_t n, const box& b) const noexcept;
  std::uint32_t insert_below(std::uint32_t n, const entry& e, unsigned level);
  std::uint32_t split(std::uint32_t n, const entry& extra);
  bool erase_below(std::uint32_t n, const box& b);
  bool shrink_below(std::uint32_t n, const box& from, const box& to);
  /// A path from the root to a box: for each level the node and its entry. A tree of 2^32 boxes has at most 13 levels.
  struct step {
    std::uint32_t node, entry;
  };
  using path = std::array<step, 16>;
  bool find_path(std::uint32_t n, const box& b, path& to) const;
  void add_to_leaf(const path& to, const entry& extra);
  std::size_t entry_in_leaf(std::uint32_t n, const box& b) const;  // its index among the entries, or their count
  void grow(std::uint32_t sibling);                                // makes a new root above the old one and `sibling`
  void find_below(std::uint32_t n, const box& b, std::vector<entry>& out) const;
  bool is_sound_below(std::uint32_t n, std::size_t& boxes) const;

  std::vector<node> nodes_;
  std::vector<std::uint32_t> free_;
  std::uint32_t root_ = none;
  std::size_t size_ = 0;
  std::uint32_t last_divided_ = none;  // the leaf that got the last divided box; the node may be no leaf any more

  // Entries of nodes that became too small, to be inserted again at their level. Empty between calls.
  struct displaced_entry {
    entry is;
    unsigned level;
  };
  std::vector<displaced_entry> displaced_;
};

}  // namespace stretto::geometry
