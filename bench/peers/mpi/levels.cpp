// levels.cpp - heat on three levels of refinement (examples/heat_levels.hpp) as one writes it with MPI: the same pieces
// on the same ranks, one exchange after the other by messages that do not block, and a wait for all of them before what
// needs them.
//
// Threads     one per rank; the check of the answer has a runtime of its own.
#include <mpi.h>
#include <stretto/stretto.hpp>

#include <array>
#include <cstdlib>
#include <vector>

#include "heat_levels.hpp"
#include "messages.hpp"

using namespace heat_levels;

namespace {

/// Dense memory of a box; none on other ranks than the piece's.
struct field {
  box of;
  std::vector<double> values;
  void allocate(const box& b) { of = b, values.assign(b.volume(), 0.0); }
  grid view() {
    constexpr auto size = static_cast<std::int64_t>(sizeof(double));
    return {values.data(),
            stretto::data::layout{.box = of, .stride = point{of.length(1) * size, size}, .element_bytes = size}};
  }
};

struct piece_of_rank {
  int level, rank;
  box own;
  std::array<field, 2> u;  // of this step and of the next, with the cells around
  field from_coarse, means;
  std::vector<box> edges;  // of its level, where what is around comes from the coarser one
};

/// Cells of one piece that another one gets.
struct transfer {
  piece_of_rank *from, *to;
  box part;
  std::vector<double> message;
};
using transfers = std::vector<transfer>;

class heat {
 public:
  heat(int n, int rank, int ranks) : n_(n), rank_(rank) {
    for (int level = 0; level < levels; ++level)
      for (int t = 0; t < pieces_per_axis * pieces_per_axis; ++t) add_piece(level, t, ranks);
    for (piece_of_rank& to : all_)
      for (piece_of_rank& from : all_) add_transfers(from, to);
  }

  void step(int now) {
    const auto content = [now](piece_of_rank& p) { return p.u[std::size_t(now)].view(); };
    const auto next = [now](piece_of_rank& p) { return p.u[std::size_t(1 - now)].view(); };
    exchange(halos_, content, content);
    exchange(edges_, content, [](piece_of_rank& p) { return p.from_coarse.view(); });
    for_mine([&](piece_of_rank& p) {
      for (const box& edge : p.edges)
        for_cells(edge, [v = content(p), c = p.from_coarse.view()](coordinate i, coordinate j) {
          v(i, j) = between_coarse(c, i, j);
        });
    });
    for_mine([&](piece_of_rank& p) {
      for_cells(p.own, [v = content(p), w = next(p), c = conductance_of(p.level)](coordinate i, coordinate j) {
        w(i, j) = conducted(v, i, j, c);
      });
    });
    for (int level = levels - 1; level > 0; --level) {
      for_mine([&](piece_of_rank& p) {
        if (p.level != level) return;
        for_cells(p.means.of,
                  [v = next(p), m = p.means.view()](coordinate i, coordinate j) { m(i, j) = mean_of_fine(v, i, j); });
      });
      exchange(means_[std::size_t(level)], [](piece_of_rank& p) { return p.means.view(); }, next);
    }
  }

  /// On rank 0, the cells of all levels.
  std::vector<double> collected(int last) {
    std::vector<double> result(rank_ == 0 ? std::size_t(levels * n_ * n_) : 0);
    for (piece_of_rank& p : all_) {
      std::vector<double> cells;
      const auto count = static_cast<int>(p.own.volume());
      if (rank_ == p.rank) cells = packed(p.u[std::size_t(last)].view(), p.own);
      if (p.rank != 0 && rank_ == p.rank) MPI_Send(cells.data(), count, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
      if (rank_ != 0) continue;
      if (p.rank != 0) {
        cells.resize(p.own.volume());
        MPI_Recv(cells.data(), count, MPI_DOUBLE, p.rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      const point first = cells_of(p.level, n_).min();
      for_cells(p.own, [&, k = std::size_t(0)](coordinate i, coordinate j) mutable {
        result[std::size_t((p.level * n_ + (i - first[0])) * n_ + (j - first[1]))] = cells[k++];
      });
    }
    return result;
  }

 private:
  void add_piece(int level, int t, int ranks) {
    const int side = n_ / pieces_per_axis;
    piece_of_rank p{.level = level,
                    .rank = int(all_.size()) % ranks,
                    .own = {},
                    .u = {},
                    .from_coarse = {},
                    .means = {},
                    .edges = {}};
    p.own = box::sized(cells_of(level, n_).min() + point{side * (t / pieces_per_axis), side * (t % pieces_per_axis)},
                       extent{side, side});
    for (int s = 0; level && s < 4; ++s)
      if (const box edge = beside(p.own, s); !cells_of(level, n_).contains(edge)) p.edges.push_back(edge);
    if (p.rank == rank_) {
      for (field& u : p.u) u.allocate(p.own.widened({1, 1}));
      for_cells(p.own, [&, v = p.u[0].view()](coordinate i, coordinate j) { v(i, j) = start_at(level, i, j, n_); });
      if (level) p.from_coarse.allocate(coarse(p.own, 1)), p.means.allocate(coarse(p.own));
    }
    all_.push_back(std::move(p));
  }
  void add_transfers(piece_of_rank& from, piece_of_rank& to) {
    const auto add = [&](transfers& list, const box& part) {
      if (!part.is_empty()) list.push_back({&from, &to, part, {}});
    };
    for (int s = 0; from.level == to.level && s < 4; ++s) add(halos_, intersection(from.own, beside(to.own, s)));
    if (from.level == to.level - 1 && !to.edges.empty()) add(edges_, intersection(from.own, coarse(to.own, 1)));
    if (from.level == to.level + 1) add(means_[std::size_t(from.level)], intersection(coarse(from.own), to.own));
  }

  static std::vector<double> packed(const grid& v, const box& part) {
    std::vector<double> message;
    message.reserve(part.volume());
    for_cells(part, [&](coordinate i, coordinate j) { message.push_back(v(i, j)); });
    return message;
  }

  /// Cells from what `source(piece)` views to what `target(piece)` does.
  template <class Source, class Target>
  void exchange(transfers& list, Source&& source, Target&& target) {
    requests_.clear();
    for (int tag = 0; transfer & t : list) {
      const int count = static_cast<int>(t.part.volume());
      if (t.from->rank == rank_) t.message = packed(source(*t.from), t.part);
      if (t.from->rank == rank_ && t.to->rank != rank_)
        MPI_Isend(t.message.data(), count, MPI_DOUBLE, t.to->rank, tag, MPI_COMM_WORLD, &requests_.emplace_back());
      if (t.from->rank != rank_ && t.to->rank == rank_) {
        t.message.resize(t.part.volume());
        MPI_Irecv(t.message.data(), count, MPI_DOUBLE, t.from->rank, tag, MPI_COMM_WORLD, &requests_.emplace_back());
      }
      ++tag;
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (transfer& t : list) {
      if (t.to->rank != rank_) continue;
      for_cells(t.part,
                [v = target(*t.to), at = t.message.begin()](coordinate i, coordinate j) mutable { v(i, j) = *at++; });
    }
  }
  template <class F>
  void for_mine(F&& f) {
    for (piece_of_rank& p : all_)
      if (p.rank == rank_) f(p);
  }

  const int n_, rank_;
  std::vector<piece_of_rank> all_;  // complete before transfers point into it
  transfers halos_, edges_;
  std::array<transfers, levels> means_;
  std::vector<MPI_Request> requests_;
};

std::vector<double> expected_cells(int n, int steps) {
  setenv("STRETTO_JOB", "alone", 1);
  std::vector<double> expected;
  stretto::runtime({.workers = 1, .devices = "none"}).run([&] { expected = serially(n, steps); });
  return expected;
}

}  // namespace

bench::outcome count_nodes_heat(const bench::options& o) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int n = static_cast<int>(o.size), steps = static_cast<int>(o.steps / 20);
  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  heat mine(n, rank, ranks);
  for (int s = 0; s < steps; ++s) mine.step(s % 2);
  const std::vector<double> found = mine.collected(steps % 2);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = clock.seconds();
  int differs = rank == 0 && found != expected_cells(n, steps);
  MPI_Bcast(&differs, 1, MPI_INT, 0, MPI_COMM_WORLD);  // all end alike
  if (differs) throw bench::wrong_answer("a value is not the serial loop's");
  return {.value = double(levels) * n * n * steps / seconds / 1e6};
}
