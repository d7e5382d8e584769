// heat_levels.hpp - heat on three levels of refinement, in pieces that lie on several nodes, ordered by events alone.
//
// Each level has cells of half the size of the one below it, and covers its middle. In each step every piece gets the
// cells around it from its neighbours or, at the edge of its level, between those of the coarser one; then it computes;
// then what it covers of the coarser level becomes the mean of its cells. One node says all of it at once: tasks, and
// copies between instances of any two nodes; or it waits before each operation for what that has to follow, which comes
// to the same (./stretto bench nodes_levels).
//
// Source      the benchmark "AMR" of Treichler, Bauer, Aiken, "Realm", PACT 2014, after the heat equation of BoxLib;
//             code and data are ours.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

#include "both_ways.hpp"

namespace heat_levels {

using namespace stretto;

constexpr int levels = 3, pieces_per_axis = 2;
constexpr double conductance = 0.2;  // on the finest level: dt / h^2

using grid = view<double, 2>;

/// The cells of a level, as it counts: 0 is the corner of the whole domain.
inline box cells_of(int level, int cells) {
  constexpr int eighths[] = {0, 4, 12};  // of `cells`
  const coordinate first = eighths[level] * cells / 8;
  return box({first, first}, {first + cells, first + cells});
}
/// The coarse cells that some fine ones cover, and one more on each side if `around`.
inline box coarse(const box& fine, int around = 0) {
  return box({fine.min()[0] / 2 - around, fine.min()[1] / 2 - around},
             {fine.max()[0] / 2 + around, fine.max()[1] / 2 + around});
}
/// The cells beside a box, on one of its four sides.
inline box beside(const box& b, int side) {
  point low = b.min(), high = b.max();
  const std::size_t axis = side / 2;
  if (side % 2) low[axis] = high[axis], ++high[axis];
  else high[axis] = low[axis], --low[axis];
  return box::between(low, high);
}

// What is computed, here and in the serial run.
inline double start_at(int level, coordinate i, coordinate j, int cells) {
  const double h = 1.0 / (cells << level), x = (double(i) + 0.5) * h - 0.45, y = (double(j) + 0.5) * h - 0.55;
  return 1 / (1 + 200 * (x * x + y * y));
}
inline double conducted(const grid& u, coordinate i, coordinate j, double c) {
  return u(i, j) + c * ((u(i - 1, j) + u(i + 1, j)) + (u(i, j - 1) + u(i, j + 1)) - 4 * u(i, j));
}
inline double between_coarse(const grid& u, coordinate i, coordinate j) {
  const coordinate ci = i / 2, cj = j / 2, ni = i % 2 ? ci + 1 : ci - 1, nj = j % 2 ? cj + 1 : cj - 1;
  return (9 * u(ci, cj) + 3 * (u(ni, cj) + u(ci, nj)) + u(ni, nj)) / 16;
}
inline double mean_of_fine(const grid& u, coordinate i, coordinate j) {
  return ((u(2 * i, 2 * j) + u(2 * i + 1, 2 * j)) + (u(2 * i, 2 * j + 1) + u(2 * i + 1, 2 * j + 1))) / 4;
}
inline double conductance_of(int level) {
  return level == 2 ? conductance : level == 1 ? conductance / 4 : conductance / 16;
}

template <class F>
void for_cells(const box& b, F&& f) {
  for (coordinate i = b.min()[0]; i < b.max()[0]; ++i)
    for (coordinate j = b.min()[1]; j < b.max()[1]; ++j) f(i, j);
}

// Tasks of a piece, on its node.
using cells = instance<double, 2>;

inline void start(cells u, int level, box own, int n) {
  const auto v = u.view();
  for_cells(u.elements(), [&](coordinate i, coordinate j) { v(i, j) = 0; });  // around the coarsest level it is cold
  for_cells(own, [&](coordinate i, coordinate j) { v(i, j) = start_at(level, i, j, n); });
}
inline void surround(cells u, cells from_coarse, const std::vector<box>& edges) {
  const auto v = u.view(), c = from_coarse.view();
  for (const box& edge : edges) for_cells(edge, [&](coordinate i, coordinate j) { v(i, j) = between_coarse(c, i, j); });
}
inline void conduct(cells u, cells next, int level, box own) {
  const auto v = u.view(), w = next.view();
  for_cells(own, [&](coordinate i, coordinate j) { w(i, j) = conducted(v, i, j, conductance_of(level)); });
}
inline void average(cells u, cells means) {
  const auto v = u.view(), m = means.view();
  for_cells(means.elements(), [&](coordinate i, coordinate j) { m(i, j) = mean_of_fine(v, i, j); });
}

struct piece {
  int level = 0;
  std::uint32_t node = 0;
  box own;
  std::array<cells, 2> u;                  // of this step and of the next, with the cells around
  cells from_coarse, means;                // of the coarser level: around the piece, and what it covers
  event ready;                             // u of this step
  event surrounded;                        // the last use of from_coarse
  std::array<std::vector<event>, 2> read;  // who copies from u, until it is written again
  std::vector<event> sent;                 // who copies from means
};

inline std::vector<piece> make_pieces(int n) {
  std::vector<piece> all;
  for (int level = 0; level < levels; ++level)
    for (int t = 0; t < pieces_per_axis * pieces_per_axis; ++t) {
      const int side = n / pieces_per_axis;
      const point at = cells_of(level, n).min() + point{side * (t / pieces_per_axis), side * (t % pieces_per_axis)};
      piece one;
      one.level = level;
      one.node = std::uint32_t(all.size()) % job_nodes();
      one.own = box::sized(at, extent{side, side});
      const at_node there(one.node);
      for (cells& u : one.u) u = cells::create(there, one.own.widened({1, 1})).made;
      if (level)
        one.from_coarse = cells::create(there, coarse(one.own, 1)).made,
        one.means = cells::create(there, coarse(one.own)).made;
      one.read[1] = {async(there, call<&start>(one.u[1], level, one.own, n))};
      one.ready = async(there, call<&start>(one.u[0], level, one.own, n));
      all.push_back(one);
    }
  return all;
}

/// A step of all pieces from u[now] to u[1 - now].
inline void step(std::vector<piece>& all, int now, int n, order& in) {
  for (piece& t : all) {  // the cells around it
    std::vector<event> filled = {t.ready};
    for (int side = 0; side < 4; ++side)
      for (piece& other : all)
        if (const box part = intersection(other.own, beside(t.own, side)); other.level == t.level && !part.is_empty()) {
          filled.push_back(copy(other.u[now], t.u[now], part, in.after_all({other.ready, t.ready})));
          other.read[now].push_back(filled.back());
        }
    std::vector<box> edges;
    for (int side = 0; t.level && side < 4; ++side)
      if (const box edge = beside(t.own, side); !cells_of(t.level, n).contains(edge)) edges.push_back(edge);
    if (!edges.empty()) {
      std::vector<event> copied = {t.ready};
      for (piece& other : all)
        if (const box part = intersection(other.own, coarse(t.own, 1));
            other.level == t.level - 1 && !part.is_empty()) {
          copied.push_back(copy(other.u[now], t.from_coarse, part, in.after_all({other.ready, t.surrounded})));
          other.read[now].push_back(copied.back());
        }
      filled.push_back(async(at_node(t.node), in.after_all(copied), call<&surround>(t.u[now], t.from_coarse, edges)));
    }
    t.surrounded = merge(filled);
  }
  for (piece& t : all) {  // its own cells, once nobody reads the step before
    std::vector<event> first = std::exchange(t.read[1 - now], {});
    first.push_back(t.surrounded);
    t.ready = async(at_node(t.node), in.after_all(first), call<&conduct>(t.u[now], t.u[1 - now], t.level, t.own));
    t.read[now].push_back(t.ready);
  }
  for (std::size_t i = all.size(); i-- > 0;) {  // what it covers of the coarser level, the finest first
    piece& t = all[i];
    if (!t.level) continue;
    std::vector<event> first = std::exchange(t.sent, {});
    first.push_back(t.ready);
    const event averaged = async(at_node(t.node), in.after_all(first), call<&average>(t.u[1 - now], t.means));
    t.read[1 - now].push_back(averaged);
    for (piece& other : all)
      if (const box part = intersection(other.own, coarse(t.own)); other.level == t.level - 1 && !part.is_empty()) {
        t.sent.push_back(copy(t.means, other.u[1 - now], part, in.after_all({averaged, other.ready})));
        other.ready = merge(other.ready, t.sent.back());
      }
  }
}

/// The cells of all levels after all steps.
inline std::vector<double> on_nodes(int n, int steps, bool waits) {
  std::vector<piece> all = make_pieces(n);
  order in{waits};
  for (int s = 0; s < steps; ++s) step(all, s % 2, n, in);
  std::vector<double> result(std::size_t(levels * n * n));
  std::vector<event> last;
  for (int level = 0; level < levels; ++level) {
    const auto here = cells::external(result.data() + level * n * n, cells_of(level, n));
    for (const piece& t : all)
      if (t.level == level) last.push_back(copy(t.u[steps % 2], here, t.own, after(t.ready)));
    here.destroy(after(last));
  }
  wait(merge(last));
  for (const piece& t : all) {
    const event unused = merge({t.surrounded, t.ready, merge(t.read[0]), merge(t.read[1]), merge(t.sent)});
    for (const cells& c : {t.u[0], t.u[1], t.from_coarse, t.means})
      if (c) c.destroy(after(unused));
  }
  return result;
}

inline std::vector<double> serially(int n, int steps) {
  std::array<std::vector<double>, levels> u[2];
  std::array<cells, levels> of[2];
  for (int which = 0; which < 2; ++which)
    for (int level = 0; level < levels; ++level) {
      auto& memory = u[which][std::size_t(level)];
      memory.assign(std::size_t((n + 2) * (n + 2)), 0);
      of[which][std::size_t(level)] = cells::external(memory.data(), cells_of(level, n).widened({1, 1}));
    }
  const auto level_of = [&](int which, int level) { return of[which][std::size_t(level)].view(); };
  for (int level = 0; level < levels; ++level)
    for_cells(cells_of(level, n),
              [&, v = level_of(0, level)](coordinate i, coordinate j) { v(i, j) = start_at(level, i, j, n); });
  for (int s = 0; s < steps; ++s) {
    for (int level = 1; level < levels; ++level)
      for (int side = 0; side < 4; ++side)
        for_cells(beside(cells_of(level, n), side),
                  [&, v = level_of(s % 2, level), c = level_of(s % 2, level - 1)](coordinate i, coordinate j) {
                    v(i, j) = between_coarse(c, i, j);
                  });
    for (int level = 0; level < levels; ++level)
      for_cells(cells_of(level, n),
                [&, v = level_of(s % 2, level), w = level_of(1 - s % 2, level)](coordinate i, coordinate j) {
                  w(i, j) = conducted(v, i, j, conductance_of(level));
                });
    for (int level = levels - 1; level > 0; --level)
      for_cells(coarse(cells_of(level, n)), [&, v = level_of(1 - s % 2, level), c = level_of(1 - s % 2, level - 1)](
                                                coordinate i, coordinate j) { c(i, j) = mean_of_fine(v, i, j); });
  }
  std::vector<double> result;
  for (int level = 0; level < levels; ++level)
    for_cells(cells_of(level, n),
              [&, v = level_of(steps % 2, level)](coordinate i, coordinate j) { result.push_back(v(i, j)); });
  for (const auto& which : of)
    for (const cells& level : which) level.destroy();
  return result;
}

}  // namespace heat_levels
