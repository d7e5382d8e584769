// access_fronts.hpp - for each element of a buffer: its last writer and the readers since, as numbers that only grow.
//
// Threads     one owner.
// Cost        read, write: as tile_map::visit, about 50 ns for repeated boxes, and one step for each predecessor.
//             Applying a horizon is free: an older number is read as the horizon. An access that meets many tiles joins
//             those that have become equal.
// Invariants  (1) a reader follows the last writer; a writer follows the readers since, or else the last writer. (2) no
//             access follows anything older than the horizon applied last: the horizon itself stands for all of that.
// Source      horizons: Thoman, Salzmann, "Command Horizons"; theirs update all entries when they are applied.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "geometry/tile_map.hpp"
#include "graph/sequence.hpp"

namespace stretto::graph {

class access_fronts {
 public:
  using number = std::uint64_t;

  /// The writer of all elements is the horizon that `order` has applied now. `order` must outlive this object.
  access_fronts(const box& elements, const sequence& order) : elements_(elements), order_(&order) {
    tiles_.visit(elements, [&](const box&, front& f) { f.writer = order.applied(); });
  }

  /// Appends the predecessors of a reader of `where`, perhaps more than once.
  void before_reading(const box& where, dependencies& out) {
    visit(where, [&](const box&, front& f) { add(out, current(f.writer)); });
  }
  /// Appends the predecessors of a writer of `where`, perhaps more than once.
  void before_writing(const box& where, dependencies& out) {
    visit(where, [&](const box&, front& f) {
      add(out, current(f.reader ? f.reader : f.writer));
      for (const number r : f.readers) add(out, current(r));
    });
  }

  /// Records `reader`, the largest number so far. `follows`: its predecessors, ascending.
  void read(const box& where, number reader, const dependencies& follows) {
    visit(where, [&](const box&, front& f) {
      // A later writer need not wait for a reader that the new reader follows. For readers older than the horizon it
      // waits for the writer entry.
      const auto is_implied = [&](number r) {
        return r <= order_->applied() || std::ranges::binary_search(follows, r);
      };
      if (f.reader == reader) return;
      // Long lists are pruned now and then only. Short lists are always pruned: they would keep equal tiles apart.
      if (f.readers.size() <= 4 || std::has_single_bit(f.readers.size())) std::erase_if(f.readers, is_implied);
      if (f.reader && !is_implied(f.reader)) f.readers.push_back(f.reader);
      f.reader = reader;
    });
  }
  void write(const box& where, number writer) {
    visit(where, [&](const box&, front& f) {
      f.writer = writer;
      f.reader = 0;
      f.readers.clear();
    });
  }

  const box& elements() const noexcept { return elements_; }
  std::size_t tiles() const noexcept { return tiles_.size(); }

 private:
  struct front {
    number writer = 0;
    number reader = 0;            // the last reader since the write; 0: none
    std::vector<number> readers;  // earlier readers, ascending
    friend bool operator==(const front&, const front&) = default;
  };

  number current(number n) const noexcept { return std::max(n, order_->applied()); }
  static void add(dependencies& out, number n) {
    if (out.empty() || out.back() != n) out.push_back(n);
  }
  template <class F>
  void visit(const box& where, F f) {
    if (tiles_.visit(where, f) >= look_at_) look_at_ = std::max<std::size_t>(least, 2 * join(where));
    if (tiles_.size() >= look_at_all_) look_at_all_ = std::max<std::size_t>(least_of_all, 2 * join(elements_));
  }
  // Joins tiles that differed only in numbers older than the horizon.
  [[gnu::noinline]] std::size_t join(const box& where) {
    const number old = order_->applied();
    tiles_.visit(where, [&](const box&, front& f) {
      const auto younger = std::ranges::lower_bound(f.readers, old);
      const bool were_older = younger != f.readers.begin();
      f.readers.erase(f.readers.begin(), younger);
      if (f.reader < old) f.reader = 0;
      // The last reader need not follow the horizon, unless it was added after the horizon was applied: everything
      // older was written before, too.
      else if (were_older && f.reader != old && f.reader < order_->horizon()) f.readers.insert(f.readers.begin(), old);
      f.writer = current(f.writer);
    });
    return tiles_.join_equal(where);
  }

  static constexpr std::size_t least = 16;  // from this many tiles on, a visit looks for equal ones
  // For the whole buffer the limit is higher: tiles that have become equal are likely to be used separately again.
  // About 8 MiB.
  static constexpr std::size_t least_of_all = 32'768;

  tile_map<front> tiles_;
  box elements_;
  const sequence* order_;
  std::size_t look_at_ = least, look_at_all_ = least_of_all;
};

}  // namespace stretto::graph
