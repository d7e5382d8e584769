// region_map.hpp - a map from elements to values that stores boxes of elements with the same value.
//
// Threads     one owner.
// Cost        update: O(log n + entries met); query: O(log n + found + sorting them). See box_index.hpp.
// Invariants  (1) entries are disjoint. (2) every point has the value of the last update that covered it, or none.
//             (3) if two entries form a box together, their values differed when the later of them was written (an
//             update joins the box that it writes with its neighbours, but no others).
//
// A value should be small, such as an id, a set of nodes or an event. Entries are joined if their values are ==.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "geometry/box_index.hpp"
#include "geometry/region.hpp"

namespace stretto {

/// The box that two disjoint boxes form together; empty if they form none.
box joined(const box& a, const box& b);

template <class Value>
class region_map {
 public:
  using entry = std::pair<box, Value>;

  region_map() = default;
  region_map(const box& domain, Value everywhere) { update(domain, std::move(everywhere)); }

  /// All points of `where` now have this value.
  void update(const box& where, const Value& value) {
    if (where.is_empty() || try_overwrite(where, value)) return;
    cut_out(where);
    insert_joined(where, value);
  }
  void update(const region& where, const Value& value) {
    for (const box& b : where.boxes()) update(b, value);
  }

  /// The points of `where` now have no value.
  void erase(const box& where) { cut_out(where); }

  /// Replaces each value v within `where` by change(v); points without a value stay without.
  template <class Change>
  void transform(const box& where, Change change) {
    for (auto& [b, old] : query(where)) {
      Value now = change(std::as_const(old));
      if (!(now == old)) update(b, now);
    }
  }

  /// The parts of entries within `where`, in lexicographic order of their boxes. Parts without a value are left out.
  std::vector<entry> query(const box& where) const {
    met_.clear();
    index_.find(where, met_);
    for (auto& e : met_) e.box = intersection(e.box, where);
    std::sort(met_.begin(), met_.end());
    std::vector<entry> found;
    found.reserve(met_.size());
    for (const auto& e : met_) found.emplace_back(e.box, value_of(e));
    return found;
  }

  /// Calls f(const box& part, const Value&) for the parts of entries within `where`, in no particular order, until it
  /// returns false.
  template <class F>
  void look(const box& where, F f) const {
    met_.clear();
    index_.find(where, met_);
    for (const auto& e : met_)
      if (!f(intersection(e.box, where), value_of(e))) return;
  }
  /// Whether every point of `where` has this value.
  bool is(const box& where, const Value& value) const {
    std::uint64_t lacking = where.volume();
    look(where, [&](const box& part, const Value& v) { return v == value && (lacking -= part.volume(), true); });
    return lacking == 0;
  }

  /// The value of one point, null if it has none.
  const Value* at(const point& p) const {
    met_.clear();
    index_.find(box::sized(p, unit), met_);
    return met_.empty() ? nullptr : &value_of(met_.front());
  }

  std::size_t size() const noexcept { return index_.size(); }
  bool is_sound() const { return index_.is_sound(); }

 private:
  using index = geometry::box_index;

  // The common cases, with one search. Returns true if an entry around `where` has this value already, or if the entry
  // for exactly `where` got it and no neighbour has to be joined.
  bool try_overwrite(const box& where, const Value& value) {
    met_.clear();
    index_.find(where.widened({1, 1, 1}), met_);
    const index::entry* met = nullptr;
    bool may_join = false;
    for (const auto& e : met_) {
      if (e.box.meets(where)) {
        if (met) return false;
        met = &e;
      } else {
        may_join = may_join || (!joined(e.box, where).is_empty() && value_of(e) == value);
      }
    }
    if (!met || !met->box.contains(where)) return false;
    if (value_of(*met) == value) return true;
    if (met->box != where || may_join) return false;
    values_[met->number] = value;
    return true;
  }

  // Cuts `where` out of all entries; their parts outside of it remain.
  void cut_out(const box& where) {
    met_.clear();
    index_.find(where, met_);
    for (const auto& e : met_) {
      rest_.clear();
      difference(e.box, where, rest_);
      if (rest_.empty()) {
        index_.erase(e.box);
        release(e.number);
        continue;
      }
      index_.shrink(e.box, rest_.front());
      for (std::size_t i = 1; i < rest_.size(); ++i) index_.insert(rest_[i], acquire(Value(value_of(e))));
    }
  }

  // Inserts `where`, which no entry meets, and joins it with neighbours of the same value as long as there are any.
  void insert_joined(box where, const Value& value) {
    for (bool grown = true; grown;) {
      grown = false;
      met_.clear();
      index_.find(where.widened({1, 1, 1}), met_);
      std::sort(met_.begin(), met_.end());
      for (const auto& e : met_) {
        const box both = joined(e.box, where);
        if (both.is_empty() || !(value_of(e) == value)) continue;
        index_.erase(e.box);
        release(e.number);
        where = both;
        grown = true;
      }
    }
    index_.insert(where, acquire(value));
  }

  const Value& value_of(const index::entry& e) const { return *values_[e.number]; }
  std::uint32_t acquire(Value value) {
    if (free_.empty()) {
      values_.push_back(std::move(value));
      return static_cast<std::uint32_t>(values_.size() - 1);
    }
    const std::uint32_t n = free_.back();
    free_.pop_back();
    values_[n] = std::move(value);
    return n;
  }
  void release(std::uint32_t n) {
    values_[n].reset();
    free_.push_back(n);
  }

  index index_;
  std::vector<std::optional<Value>> values_;  // by the numbers in index_
  std::vector<std::uint32_t> free_;
  // Scratch memory, kept between calls.
  mutable std::vector<index::entry> met_;
  std::vector<box> rest_;
};

}  // namespace stretto
