// fluid_nodes.hpp - a fluid of particles in cells, in pieces that lie on several nodes, ordered by events alone.
//
// A step has three phases: densities from the particles near by, forces from those densities and one move, and each
// particle into the cell where it is now. Before each phase a piece gets the cells around it from its neighbours. One
// node says all of it at once, or it waits before each operation for what that has to follow (./stretto bench
// nodes_fluid).
//
// Source      smoothed particles in cells as PARSEC's fluidanimate has them: Mueller, Charypar, Gross, SCA 2003; the
//             benchmark "Fluid" of Treichler, Bauer, Aiken, "Realm", PACT 2014; code and data are our own, in two
//             dimensions.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <stretto/stretto.hpp>

#include "both_ways.hpp"

namespace fluid_nodes {

using namespace stretto;

constexpr double radius = 1, step_seconds = 0.01,
                 fastest = 0.4 * radius / step_seconds;  // a cell is as wide as particles feel
constexpr int most_in_cell = 24;
enum phase { densities, forces, cells };

struct particle {
  double x, y, vx, vy, density;
  std::int64_t number;
  friend bool operator==(const particle&, const particle&) = default;
};
struct cell {
  std::int64_t count = 0;
  std::array<particle, most_in_cell> of;
  void add(const particle& p) {
    if (count == most_in_cell) throw std::length_error("more particles in a cell than there is room for");
    of[static_cast<std::size_t>(count++)] = p;
  }
};
using field = view<cell, 2>;

// What is computed, here and in the serial run: a cell of the next phase from this one's and those around it.
template <class F>
void for_near(const field& from, coordinate i, coordinate j, F&& f) {
  for (coordinate a = i - 1; a <= i + 1; ++a)
    for (coordinate b = j - 1; b <= j + 1; ++b)
      for (std::int64_t k = 0; k < from(a, b).count; ++k) f(from(a, b).of[static_cast<std::size_t>(k)]);
}
inline double density_at(const field& from, coordinate i, coordinate j, const particle& p) {
  double sum = 0;
  for_near(from, i, j, [&](const particle& q) {
    const double left = radius * radius - (p.x - q.x) * (p.x - q.x) - (p.y - q.y) * (p.y - q.y);
    if (left > 0) sum += left * left * left;
  });
  return sum;
}
inline particle moved(const field& from, coordinate i, coordinate j, particle p, double width) {
  double ax = 0, ay = -9.81;
  for_near(from, i, j, [&](const particle& q) {
    const double dx = p.x - q.x, dy = p.y - q.y, r = std::sqrt(dx * dx + dy * dy);
    if (q.number == p.number || r >= radius || r == 0) return;
    const double push = 3 * (p.density + q.density - 2) * (radius - r) * (radius - r) / r, drag = 4 * (radius - r);
    ax += push * dx + drag * (q.vx - p.vx);
    ay += push * dy + drag * (q.vy - p.vy);
  });
  p.vx = std::clamp(p.vx + step_seconds * ax, -fastest, fastest);
  p.vy = std::clamp(p.vy + step_seconds * ay, -fastest, fastest);
  for (auto [at, v] : {std::pair{&p.x, &p.vx}, {&p.y, &p.vy}}) {
    *at += step_seconds * *v;
    if (*at < 0 || *at >= width) *v = -*v, *at = *at < 0 ? -*at : std::nextafter(2 * width - *at, 0.0);
  }
  return p;
}
inline void compute(const field& from, const field& to, const box& own, phase which, int width) {
  for (coordinate i = own.min()[0]; i < own.max()[0]; ++i)
    for (coordinate j = own.min()[1]; j < own.max()[1]; ++j) {
      cell next;
      if (which == cells) {
        for_near(from, i, j, [&](const particle& p) {
          if (static_cast<coordinate>(p.x) == i && static_cast<coordinate>(p.y) == j) next.add(p);
        });
      } else {
        for (std::int64_t k = 0; k < from(i, j).count; ++k) {
          particle p = from(i, j).of[static_cast<std::size_t>(k)];
          if (which == densities) p.density = density_at(from, i, j, p);
          else p = moved(from, i, j, p, width);
          next.add(p);
        }
      }
      to(i, j) = next;
    }
}
/// A column of fluid at the left, four particles to a cell; all around it is empty.
inline void start(const field& u, const box& with_around, const box& own, int width) {
  for (coordinate i = with_around.min()[0]; i < with_around.max()[0]; ++i)
    for (coordinate j = with_around.min()[1]; j < with_around.max()[1]; ++j) {
      cell c;
      for (int k = 0; k < 4 && own.contains(point{i, j}) && i < width / 2; ++k) {
        const double shift = 0.01 * static_cast<double>((i * 7 + j * 5 + k * 3) % 11);
        c.add({double(i) + 0.25 + 0.5 * (k / 2) + shift, double(j) + 0.2 + 0.5 * (k % 2) + shift, 0, 0, 0,
               (i * width + j) * 4 + k});
      }
      u(i, j) = c;
    }
}

// Tasks of a piece, on its node.
using cell_field = instance<cell, 2>;
inline void start_piece(cell_field u, box own, int width) { start(u.view(), u.elements(), own, width); }
inline void compute_piece(cell_field from, cell_field to, box own, std::uint8_t which, int width) {
  compute(from.view(), to.view(), own, static_cast<phase>(which), width);
}

struct piece {
  std::uint32_t node = 0;
  box own;
  std::array<cell_field, 2> u;             // of this phase and of the next, with the cells around
  event ready;                             // u of this phase
  std::array<std::vector<event>, 2> read;  // who uses u, until it is written again
};

/// A domain of width x width cells in pieces x pieces of them, one after the other on all nodes.
inline std::vector<piece> make_pieces(int width, int pieces) {
  std::vector<piece> all;
  for (int t = 0; t < pieces * pieces; ++t) {
    piece& one = all.emplace_back();
    const coordinate side = width / pieces;
    one.node = static_cast<std::uint32_t>(t) % job_nodes();
    one.own = box::sized({side * (t / pieces), side * (t % pieces)}, extent{side, side});
    const at_node there(one.node);
    for (cell_field& u : one.u) u = cell_field::create(there, one.own.widened({1, 1})).made;
    one.read[1] = {async(
        there, call<&start_piece>(one.u[1], one.own, width))};  // of its own nothing stays but what is empty around
    one.ready = async(there, call<&start_piece>(one.u[0], one.own, width));
  }
  return all;
}

/// Phase k, of which each step has three: from u[k % 2] to the other.
inline void compute_phase(std::vector<piece>& all, int k, int width, order& in) {
  const int now = k % 2;
  std::vector<event> computed;
  for (piece& one : all) {
    std::vector<event> first = std::exchange(one.read[1 - now], {});
    first.push_back(one.ready);
    for (piece& other : all)
      if (const box part = intersection(other.own, one.own.widened({1, 1})); &other != &one && !part.is_empty()) {
        first.push_back(copy(other.u[now], one.u[now], part, in.after_all({other.ready, one.ready})));
        other.read[now].push_back(first.back());
      }
    computed.push_back(
        async(at_node(one.node), in.after_all(first),
              call<&compute_piece>(one.u[now], one.u[1 - now], one.own, static_cast<std::uint8_t>(k % 3), width)));
    one.read[now].push_back(computed.back());
  }
  for (std::size_t i = 0; i < all.size(); ++i) all[i].ready = computed[i];
}

/// The particles in u[which], by cells. The pieces are destroyed.
inline std::vector<particle> collect(const std::vector<piece>& all, int which, int width) {
  const box domain({0, 0}, {width, width});
  std::vector<cell> found(domain.volume());
  const auto here = cell_field::external(found.data(), domain);
  std::vector<event> last;
  for (const piece& one : all)
    last.push_back(copy(one.u[static_cast<std::size_t>(which)], here, one.own, after(one.ready)));
  wait(merge(last));
  here.destroy();
  for (const piece& one : all)
    for (const cell_field& u : one.u) u.destroy(after(one.ready, merge(one.read[0]), merge(one.read[1])));
  std::vector<particle> result;
  for (const cell& c : found) result.insert(result.end(), c.of.begin(), c.of.begin() + c.count);
  return result;
}

/// The particles after so many steps, by cells.
inline std::vector<particle> on_nodes(int width, int pieces, int steps, bool waits) {
  std::vector<piece> all = make_pieces(width, pieces);
  order in{waits};
  for (int k = 0; k < 3 * steps; ++k) compute_phase(all, k, width, in);
  return collect(all, 3 * steps % 2, width);
}

inline std::vector<particle> serially(int width, int steps) {
  const box domain({0, 0}, {width, width}), around = domain.widened({1, 1});
  std::array<std::vector<cell>, 2> u{std::vector<cell>(around.volume()), std::vector<cell>(around.volume())};
  const std::array both{cell_field::external(u[0].data(), around), cell_field::external(u[1].data(), around)};
  const auto of = [&](int which) { return both[static_cast<std::size_t>(which)].view(); };
  start(of(0), around, domain, width);
  for (int k = 0; k < 3 * steps; ++k) compute(of(k % 2), of(1 - k % 2), domain, static_cast<phase>(k % 3), width);
  std::vector<particle> result;
  const field last = of(3 * steps % 2);
  for (coordinate i = 0; i < width; ++i)
    for (coordinate j = 0; j < width; ++j)
      result.insert(result.end(), last(i, j).of.begin(), last(i, j).of.begin() + last(i, j).count);
  for (const cell_field& f : both) f.destroy();
  return result;
}

}  // namespace fluid_nodes
