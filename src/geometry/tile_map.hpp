// tile_map.hpp - a map from elements to states that stores tiles: boxes of elements with one state. The tiles adapt to
// the boxes that the program visits.
//
// A program names the same few boxes repeatedly: a whole array, its tiles, tiles with their borders. A tile_map cuts
// its tiles along such a box once. For each visited box it caches the cover: the tiles that together are the box.
//
// Threads     one owner.
// Cost        visit of a box whose cover is cached and whose tiles were not cut since: one hash and one comparison
//             (neither for the box of the last visit), and one call per tile. A new box: O(log n + tiles met), and up
//             to 26 new tiles around it.
// Invariants  (1) tiles are disjoint. (2) the tiles of a visit together are exactly the visited box. (3) at most
//             4 * size() + 64 covers are cached.
//
// A region_map joins equal neighbours at each update, which suits values that change rarely and are read often. Here a
// program would soon cut joined tiles again. Therefore the tiles of a box are joined only after eight visits of this
// box in a row that found all of them in one state.
//
// State must have a default value (of elements that were never visited), a copy constructor and ==. The function that a
// visit calls may change states, but must not use the map.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "geometry/box_index.hpp"
#include "geometry/region.hpp"

namespace stretto {

template <class State>
class tile_map {
 public:
  tile_map() = default;
  tile_map(const tile_map&) = delete;
  tile_map(tile_map&& other) noexcept { *this = std::move(other); }
  tile_map& operator=(tile_map&& other) noexcept {
    tiles_.swap(other.tiles_), free_.swap(other.free_), covers_.swap(other.covers_),
        last_pieces_.swap(other.last_pieces_);
    std::swap(index_, other.index_), std::swap(generation_, other.generation_),
        std::swap(last_cover_, other.last_cover_);
    return *this;
  }

  /// Calls f(const box&, State&) for the tiles of `where`. Before that, cuts tiles that reach beyond `where`, and makes
  /// tiles for its elements that have none. Returns the number of tiles.
  template <class F>
  std::size_t visit(const box& where, F f) {
    if (where.is_empty()) return 0;
    cover& c = cover_of(where);
    if (c.tiles.size() == 1) {
      f(std::as_const(tiles_[c.tiles[0]].where), tiles_[c.tiles[0]].state);
      return 1;
    }
    c.equal_visits = are_equal(c) ? c.equal_visits + 1 : 0;
    for (const std::uint32_t n : c.tiles) f(std::as_const(tiles_[n].where), tiles_[n].state);
    const std::size_t visited = c.tiles.size();
    if (c.equal_visits >= equal_visits_before_join && are_equal(c)) join(c);
    return visited;
  }

  /// Calls f(const box&, const State&) for the parts of tiles within `where`. Cuts no tiles, and skips elements that
  /// have none.
  template <class F>
  void look(const box& where, F f) const {
    if (last_cover_ && last_cover_->generation == generation_ && last_cover_->where == where) {
      for (const std::uint32_t n : last_cover_->tiles) f(tiles_[n].where, tiles_[n].state);
      return;
    }
    found_.clear();
    index_.find(where, found_);
    for (const auto& e : found_) f(intersection(e.box, where), tiles_[e.number].state);
  }

  /// Joins the tiles of `where`: those in one state become as few tiles as their region has boxes. Returns the number
  /// of tiles afterwards. Cost: O(tiles x different states), and the regions.
  std::size_t join_equal(const box& where) {
    if (where.is_empty()) return 0;
    const cover& all_of_it = cover_of(where);
    std::vector<std::uint32_t> left(all_of_it.tiles.begin(), all_of_it.tiles.end()), same, others;
    std::size_t tiles = 0;
    std::vector<box> boxes;
    while (!left.empty()) {
      same.clear(), others.clear(), boxes.clear();
      for (const std::uint32_t n : left) (tiles_[n].state == tiles_[left[0]].state ? same : others).push_back(n);
      for (const std::uint32_t n : same) boxes.push_back(tiles_[n].where);
      const region all{std::span<const box>(boxes)};
      if (all.boxes().size() < same.size()) {
        const State state = tiles_[left[0]].state;
        for (const std::uint32_t n : same) {
          index_.erase(tiles_[n].where);
          release(n);
        }
        ++generation_;
        for (const box& b : all.boxes()) add_tile(b, state);
      }
      tiles += std::min(all.boxes().size(), same.size());
      left.swap(others);
    }
    return tiles;
  }

  /// Calls f(const box&, State&) for all tiles, in no particular order.
  template <class F>
  void each(F f) {
    for (tile& t : tiles_)
      if (!t.where.is_empty()) f(std::as_const(t.where), t.state);
  }

  /// Removes the tiles whose states satisfy the predicate; their elements are then as if never visited.
  template <class Predicate>
  void erase_if(Predicate such) {
    for (std::uint32_t n = 0; n < tiles_.size(); ++n)
      if (!tiles_[n].where.is_empty() && such(std::as_const(tiles_[n].state))) {
        index_.erase(tiles_[n].where);
        release(n);
        ++generation_;
      }
  }

  /// Joins all tiles in this state: they become as few as their region has boxes.
  void join_all(const State& such) {
    std::vector<box> boxes;
    each([&](const box& b, const State& s) {
      if (s == such) boxes.push_back(b);
    });
    const region all{std::span<const box>(boxes)};
    if (all.boxes().size() >= boxes.size()) return;
    erase_if([&](const State& s) { return s == such; });
    for (const box& b : all.boxes()) add_tile(b, such);
  }

  std::size_t size() const noexcept { return index_.size(); }
  std::size_t remembered() const noexcept { return covers_.size(); }

 private:
  static constexpr unsigned equal_visits_before_join = 8;

  struct tile {
    box where;  // empty: free
    State state;
  };
  struct cover {
    box where;
    std::uint64_t generation = 0;  // of the map for which `tiles` is correct
    boost::container::small_vector<std::uint32_t, 4> tiles;
    unsigned equal_visits = 0;  // visits in a row that found all tiles in one state
  };
  struct hash {
    std::size_t operator()(const box& b) const noexcept {
      std::uint64_t h = 0;
      for (int i = 0; i < max_axes; ++i) {
        h = (h ^ static_cast<std::uint64_t>(b.min()[i])) * 0x9e3779b97f4a7c15u;
        h = (h ^ static_cast<std::uint64_t>(b.max()[i])) * 0xc2b2ae3d27d4eb4fu;
        h ^= h >> 29;
      }
      return h;
    }
  };

  bool are_equal(const cover& c) const {
    for (const std::uint32_t n : c.tiles)
      if (!(tiles_[n].state == tiles_[c.tiles[0]].state)) return false;
    return true;
  }

  cover& cover_of(const box& where) {
    if (last_cover_ && last_cover_->generation == generation_ && last_cover_->where == where) [[likely]]
      return *last_cover_;
    return recall_cover(where);
  }

  [[gnu::noinline]] cover& recall_cover(const box& where) {
    auto found = covers_.find(where);
    if (found == covers_.end()) {
      if (covers_.size() >= 4 * size() + 64) covers_.clear();
      found = covers_.try_emplace(where).first;
      found->second.where = where;
      found->second.generation = generation_ - 1;
    }
    last_cover_ = &found->second;
    if (last_cover_->generation != generation_) retile(*last_cover_);
    return *last_cover_;
  }

  void retile(cover& c) {
    c.tiles.clear();
    c.equal_visits = 0;
    found_.clear();
    if (const auto* piece = last_piece_around(c.where)) found_.push_back(*piece);
    else index_.find(c.where, found_);
    std::uint64_t missing_elements = c.where.volume();
    for (const auto& e : found_) {
      const box inside = intersection(e.box, c.where);
      missing_elements -= inside.volume();
      if (inside != e.box) cut_tile(e, inside);
      c.tiles.push_back(e.number);
    }
    if (missing_elements != 0) {
      std::vector<box> had;
      for (const auto& e : found_) had.push_back(e.box);
      const region all = had.empty() ? region(c.where) : region(c.where) - region(std::span<const box>(had));
      for (const box& b : all.boxes()) c.tiles.push_back(add_tile(b, State{}));
    }
    c.generation = generation_;
  }

  /// The tile that contains `where`, if the last cut made it; null otherwise. A program that visits the parts of an
  /// array one after another always cuts the remainder of the last cut.
  const geometry::box_index::entry* last_piece_around(const box& where) const {
    for (const auto& e : last_pieces_)
      if (e.box.contains(where) && tiles_[e.number].where == e.box) return &e;
    return nullptr;
  }

  void cut_tile(const geometry::box_index::entry& e, const box& inside) {
    ++generation_;
    rest_.clear();
    difference(e.box, inside, rest_);
    tiles_[e.number].where = inside;
    last_pieces_.clear();
    for (const box& b : rest_) last_pieces_.push_back({b, make_tile(b, State(tiles_[e.number].state))});
    index_.divide(e.box, inside, last_pieces_);
  }

  void join(cover& c) {
    for (const std::uint32_t n : c.tiles) index_.erase(tiles_[n].where);
    for (std::size_t i = 1; i < c.tiles.size(); ++i) release(c.tiles[i]);
    c.tiles.erase(c.tiles.begin() + 1, c.tiles.end());
    tiles_[c.tiles[0]].where = c.where;
    index_.insert(c.where, c.tiles[0]);
    c.generation = ++generation_;
  }

  std::uint32_t add_tile(const box& where, State state) {
    const std::uint32_t n = make_tile(where, std::move(state));
    index_.insert(where, n);
    return n;
  }
  /// Makes a tile, but does not insert it into the index.
  std::uint32_t make_tile(const box& where, State state) {
    std::uint32_t n;
    if (free_.empty()) {
      n = static_cast<std::uint32_t>(tiles_.size());
      tiles_.push_back({where, std::move(state)});
    } else {
      n = free_.back();
      free_.pop_back();
      tiles_[n].where = where;
      tiles_[n].state = std::move(state);
    }
    return n;
  }
  void release(std::uint32_t n) {
    tiles_[n].where = box();
    tiles_[n].state = State{};
    free_.push_back(n);
  }

  std::vector<tile> tiles_;  // by the numbers in index_
  std::vector<std::uint32_t> free_;
  geometry::box_index index_;
  std::unordered_map<box, cover, hash> covers_;
  std::uint64_t generation_ = 1;  // increases when existing tiles change their boxes
  cover* last_cover_ = nullptr;
  mutable std::vector<geometry::box_index::entry> found_;  // scratch memory, as rest_
  std::vector<box> rest_;
  std::vector<geometry::box_index::entry> last_pieces_;  // the parts that the last cut made outside of the box
};

}  // namespace stretto
