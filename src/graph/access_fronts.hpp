// access_fronts.hpp - for each element of a buffer: who wrote it last, and who has read it since. By numbers that only grow.
//
// Threads     one owner.
// Cost        read, write: as tile_map::visit, about 50 ns where the same boxes come again, and one step for each predecessor. A horizon
//             costs nothing when it is applied: what is older is read as the horizon, and tiles that have become equal are joined by who
//             meets many of them.
// Invariants  (1) whoever reads follows the last writer; whoever writes follows the readers since, or else the last writer. (2) nobody is
//             told to follow what is older than the horizon applied last: the horizon itself stands for all of that.
// Source      horizons: Thoman, Salzmann, "Command Horizons"; theirs go over all entries when they are applied.
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

  /// Everything was written by the horizon that `order`, which outlives this, has applied now.
  access_fronts(const box& elements, const sequence& order) : elements_(elements), order_(&order) {
    tiles_.visit(elements, [&](const box&, front& f) { f.writer = order.applied(); });
  }

  /// Appends whom a reader of `where` follows, perhaps more than once.
  void before_reading(const box& where, dependencies& out) {
    visit(where, [&](const box&, front& f) { add(out, current(f.writer)); });
  }
  /// Appends whom a writer of `where` follows, likewise.
  void before_writing(const box& where, dependencies& out) {
    visit(where, [&](const box&, front& f) {
      add(out, current(f.reader ? f.reader : f.writer));
      for (const number r : f.readers) add(out, current(r));
    });
  }

  /// `reader`, the latest of all, reads, after those that it follows: ascending.
  void read(const box& where, number reader, const dependencies& follows) {
    visit(where, [&](const box&, front& f) {
      // Whom the new reader follows needs not be waited for beside it; what is older than the horizon is waited for as the writer.
      const auto is_implied = [&](number r) { return r <= order_->applied() || std::ranges::binary_search(follows, r); };
      if (f.reader == reader) return;
      // Of many readers side by side, now and then; a few would keep tiles apart that could be one.
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
    number reader = 0;            // the last, since then; 0: none
    std::vector<number> readers;  // others before it, ascending
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
  // Tiles differ for a while in what is older than the horizon: not any more.
  [[gnu::noinline]] std::size_t join(const box& where) {
    const number old = order_->applied();
    tiles_.visit(where, [&](const box&, front& f) {
      const auto younger = std::ranges::lower_bound(f.readers, old);
      const bool were_older = younger != f.readers.begin();
      f.readers.erase(f.readers.begin(), younger);
      if (f.reader < old) f.reader = 0;
      // The last reader need not follow the horizon, unless it came after that was applied: what is older was written before, too.
      else if (were_older && f.reader != old && f.reader < order_->horizon()) f.readers.insert(f.readers.begin(), old);
      f.writer = current(f.writer);
    });
    return tiles_.join_equal(where);
  }

  static constexpr std::size_t least = 16;  // tiles that are looked at for equal ones
  // Of the whole buffer, more: tiles that have become equal are likely to be used as they were again. About 8 MiB.
  static constexpr std::size_t least_of_all = 32'768;

  tile_map<front> tiles_;
  box elements_;
  const sequence* order_;
  std::size_t look_at_ = least, look_at_all_ = least_of_all;
};

}  // namespace stretto::graph
