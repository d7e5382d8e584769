// region_maps.cpp - what is known of each element, kept by a region map and by a plain list of pieces, which is the
// floor for few of them.
//
// Arguments: axes, pieces (as many as make up whole tiles). "per_op" is seconds per operation; the same seeds for both.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "geometry/region_map.hpp"

using namespace stretto;

namespace {

using value = std::uint32_t;

/// Disjoint pieces in no order, each of which is looked at. Pieces that are alike are not joined.
class piece_list {
 public:
  using entry = std::pair<box, value>;

  void update(const box& where, value v) {
    for (std::size_t i = 0; i < pieces_.size();) {
      if (!pieces_[i].first.meets(where)) {
        ++i;
        continue;
      }
      const auto [old, its] = pieces_[i];
      pieces_[i] = pieces_.back();
      pieces_.pop_back();
      const region outside = region(old) - region(where);
      for (const box& b : outside.boxes()) pieces_.emplace_back(b, its);
    }
    pieces_.emplace_back(where, v);
  }
  std::vector<entry> query(const box& where) const {
    std::vector<entry> found;
    for (const auto& [b, v] : pieces_)
      if (const box part = intersection(b, where); !part.is_empty()) found.emplace_back(part, v);
    return found;
  }

 private:
  std::vector<entry> pieces_;
};

/// Cubes of `side` elements, as many along each axis.
struct tiling {
  static constexpr coordinate side = 16;
  int axes;
  coordinate along;

  explicit tiling(const benchmark::State& s)
      : axes(static_cast<int>(s.range(0))),
        along(std::llround(std::pow(static_cast<double>(s.range(1)), 1.0 / axes))) {}
  coordinate pieces() const { return axes == 1 ? along : axes == 2 ? along * along : along * along * along; }
  box tile(coordinate n, coordinate shift = 0) const {
    point min, max(1, 1, 1);
    for (int a = 0; a < axes; ++a, n /= along) min[a] = n % along * side + shift, max[a] = min[a] + side;
    return box::between(min, max);
  }
  /// Tiles that have all neighbours behind them, so that one that is shifted by half meets as many as can be.
  coordinate inner(std::mt19937& random) const {
    coordinate n = 0;
    for (int a = axes - 1; a >= 0; --a)
      n = n * along + static_cast<coordinate>(random() % static_cast<unsigned>(along - 1));
    return n;
  }
};

void per_op(benchmark::State& state, coordinate operations) {
  state.counters["per_op"] = benchmark::Counter(
      static_cast<double>(operations), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// All tiles in a random order, each with a value of its own.
template <class Map>
Map filled(const tiling& t) {
  std::vector<coordinate> order(static_cast<std::size_t>(t.pieces()));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<coordinate>(i);
  std::mt19937 random(1);
  std::shuffle(order.begin(), order.end(), random);
  Map m;
  for (const coordinate n : order) m.update(t.tile(n), static_cast<value>(n));
  return m;
}

template <class Map>
void insert(benchmark::State& state) {
  const tiling t(state);
  for (auto _ : state) benchmark::DoNotOptimize(filled<Map>(t));
  per_op(state, t.pieces());
}

/// A new value for a piece that is there.
template <class Map>
void update(benchmark::State& state) {
  const tiling t(state);
  Map m = filled<Map>(t);
  std::mt19937 random(2);
  value v = 1 << 20;
  for (auto _ : state) m.update(t.tile(static_cast<coordinate>(random() % static_cast<unsigned>(t.pieces()))), ++v);
  per_op(state, 1);
}

/// A piece that overlaps others, and those again: one operation each.
template <class Map>
void cut_and_mend(benchmark::State& state) {
  const tiling t(state);
  Map m = filled<Map>(t);
  std::mt19937 random(3);
  value v = 1 << 20;
  for (auto _ : state) {
    const coordinate n = t.inner(random);
    m.update(t.tile(n, tiling::side / 2), ++v);
    for (coordinate corner = 0; corner < 1 << t.axes; ++corner)
      m.update(t.tile(n + (corner & 1) + (corner >> 1 & 1) * t.along + (corner >> 2) * t.along * t.along), ++v);
  }
  if (m.query(t.tile(0)).size() != 1) std::abort();
  per_op(state, 1 + (1 << t.axes));
}

template <class Map>
void query(benchmark::State& state) {
  const tiling t(state);
  const Map m = filled<Map>(t);
  std::mt19937 random(4);
  std::size_t met = 0, expected = 0;
  for (auto _ : state)
    met += m.query(t.tile(t.inner(random), tiling::side / 2)).size(), expected += std::size_t{1} << t.axes;
  if (met != expected) std::abort();
  per_op(state, 1);
}

void sizes(benchmark::internal::Benchmark* b) {
  for (const int axes : {1, 2, 3})
    for (const int pieces : {10, 100, 1000, 10000}) b->Args({axes, pieces});
}

using map = region_map<value>;
using list = piece_list;
BENCHMARK(insert<map>)->Apply(sizes);
BENCHMARK(insert<list>)->Apply(sizes);
BENCHMARK(update<map>)->Apply(sizes);
BENCHMARK(update<list>)->Apply(sizes);
BENCHMARK(cut_and_mend<map>)->Apply(sizes);
BENCHMARK(cut_and_mend<list>)->Apply(sizes);
BENCHMARK(query<map>)->Apply(sizes);
BENCHMARK(query<list>)->Apply(sizes);

}  // namespace
