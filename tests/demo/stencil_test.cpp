#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <limits>
#include <utility>
#include <vector>

#include "demo/wave/serial_reference.hpp"
#include "demo/wave/step_rows.hpp"
#include "demo/wave/tiling.hpp"
#include "random_field.hpp"

using namespace stretto::wave;

namespace {

/// A distributed run without the runtime: every tile has memory of its own, and before each step the
/// halos are copied from the neighbours' memory.
field run_in_tiles(const problem& wave, const tiling& tiles) {
  struct tile_state {
    field coefficient, last, before_last;
  };
  std::vector<tile_state> state;
  for (const auto& tile : tiles.tiles) {
    tile_state s{field(tile.size()), field(tile.size()), field(tile.size())};
    for (int r = 0; r < tile.rows(); ++r)
      for (int c = 0; c < tile.columns(); ++c) s.coefficient(r, c) = wave.coefficient(tile.row + r, tile.column + c);
    state.push_back(std::move(s));
  }
  const auto copies = halo_copies(tiles);
  for (int n = 0; n < wave.steps(); ++n) {
    for (const auto& copy : copies) {
      const auto &from = tiles.tiles[std::size_t(copy.from)], &to = tiles.tiles[std::size_t(copy.to)];
      for (int r = copy.cells.row; r < copy.cells.row_end; ++r)
        for (int c = copy.cells.column; c < copy.cells.column_end; ++c)
          state[std::size_t(copy.to)].last(r - to.row, c - to.column) =
              state[std::size_t(copy.from)].last(r - from.row, c - from.column);
    }
    for (std::size_t i = 0; i < state.size(); ++i) {
      auto& s = state[i];
      std::swap(s.last, s.before_last);
      step_tile(s.last.view(), std::as_const(s.before_last).view(), std::as_const(s.coefficient).view(),
                wave.edge.part(tiles.tiles[i]));
      inject(s.last.view(), std::as_const(s.coefficient).view(), tiles.tiles[i], wave.sources,
             wave.wavelet[std::size_t(n)]);
    }
  }
  field whole_field(tiles.grid);
  for (std::size_t i = 0; i < state.size(); ++i)
    for (int r = 0; r < tiles.tiles[i].rows(); ++r)
      for (int c = 0; c < tiles.tiles[i].columns(); ++c)
        whole_field(tiles.tiles[i].row + r, tiles.tiles[i].column + c) = state[i].last(r, c);
  return whole_field;
}

problem random_problem(extent size, unsigned seed, int steps, std::vector<position> sources) {
  return {{border(size, border_width(size), 0.5), std::move(sources), wavelet(0.08, 1.0, steps)},
          random_field(size, seed, 0.01f, 0.25f),
          {}};
}

}  // namespace

TEST_CASE("every instruction set's variant gives the bits of the stencil spelt out cell by cell") {
  for (const auto& variant : runnable_steps())
    // Widths around the vectors' lengths, so that every remainder occurs.
    for (int columns = 1; columns <= 67; ++columns) {
      CAPTURE(variant.name);
      CAPTURE(columns);
      const extent size{3, columns};
      const auto older = random_field(size, 1, -1, 1), current = random_field(size, 2, -1, 1, noise::cells_and_halo),
                 coefficient = random_field(size, 3, 0, 0.375f);
      const auto rows = random_field({1, size.rows}, 4, 0.5f, 1), g = random_field({1, columns}, 5, 0.5f, 1);
      for (const bool absorbing : {false, true}) {
        std::vector<float> row(3, 1.0f), column(std::size_t(columns), 1.0f);
        if (absorbing) {
          row = {rows(0, 0), 1.0f, rows(0, 2)};
          for (int c = 0; c < columns; ++c)
            if (c < columns / 3 || c > columns / 2) column[std::size_t(c)] = g(0, c);
        }
        const damping border{row.data(), column.data(), absorbing ? columns / 3 : 0,
                             absorbing ? columns / 2 + (columns > 1) : columns};
        field next(size);
        for (int r = 0; r < size.rows; ++r)
          for (int c = 0; c < columns; ++c) next(r, c) = older(r, c);
        variant.step(next.view(), current.view(), coefficient.view(), border);
        for (int r = 0; r < size.rows; ++r)
          for (int c = 0; c < columns; ++c)
            REQUIRE(next(r, c) == next_by_hand(older(r, c), current.view(), r, c, coefficient(r, c),
                                               row[std::size_t(r)] * column[std::size_t(c)]));
      }
    }
}

TEST_CASE("a step writes its own tile only") {
  const extent size{9, 21};
  const auto current = random_field(size, 1, -1, 1), coefficient = random_field(size, 2, 0, 0.3f);
  const border edge(size, 0, 0.5);
  field next = random_field(size, 3, -1, 1, noise::cells_and_halo);
  const field before = random_field(size, 3, -1, 1, noise::cells_and_halo);
  const rectangle tile{3, 6, 5, 17};
  step_tile(next.view().part(tile), current.view().part(tile), coefficient.view().part(tile), edge.part(tile));
  int changed = 0;
  for (int r = -halo; r < size.rows + halo; ++r)
    for (int c = -halo; c < size.columns + halo; ++c) {
      if (!tile.contains(r, c)) REQUIRE(next(r, c) == before(r, c));
      changed += next(r, c) != before(r, c);
    }
  CHECK(changed == tile.size().cells());
}

TEST_CASE("tiles with memory of their own give the serial loop's bits, whatever the tiling") {
  const bool held = rc::check([] {
    const extent size{*rc::gen::inRange(6, 90), *rc::gen::inRange(6, 150)};
    const auto seed = *rc::gen::arbitrary<unsigned>();
    const auto tiles = cut(size, *rc::gen::inRange(1, std::min(9, size.columns / halo + 1)),
                           *rc::gen::inRange(1, std::min(9, size.rows / halo + 1)));
    const auto sources = *rc::gen::container<std::vector<position>>(
        *rc::gen::inRange<std::size_t>(1, 4),
        rc::gen::apply([](int r, int c) { return position{r, c}; }, rc::gen::inRange(0, size.rows),
                       rc::gen::inRange(0, size.columns)));
    const auto wave = random_problem(size, seed, *rc::gen::inRange(1, 40), sources);
    const auto serial = run_serial(wave);
    RC_ASSERT(largest_difference(run_in_tiles(wave, tiles).view(), serial.last.view()) == 0.0);
  });
  CHECK(held);
}

TEST_CASE("the comparison with the serial loop notices halos that are not exchanged") {
  const extent size{40, 60};
  const auto wave = random_problem(size, 7, 30, {{20, 29}});
  const auto serial = run_serial(wave);
  CHECK(largest_difference(run_in_tiles(wave, cut(size, 2, 1)).view(), serial.last.view()) == 0.0);
  tiling strangers = cut(size, 2, 1);
  strangers.across = strangers.down = 1;  // two tiles that halo_copies takes for one
  CHECK(largest_difference(run_in_tiles(wave, strangers).view(), serial.last.view()) > 1e-6);
}

TEST_CASE("a source in the middle of a uniform square makes a field of exact eightfold symmetry") {
  const extent size{101, 101};
  problem wave{{border(size, border_width(size), 0.5), {{50, 50}}, wavelet(0.04, 1.0, 150)}, field(size), {}};
  for (int r = 0; r < size.rows; ++r)
    for (int c = 0; c < size.columns; ++c) wave.coefficient(r, c) = 0.25f;
  const auto u = run_serial(wave).last;
  for (int r = 0; r < size.rows; ++r)
    for (int c = 0; c < size.columns; ++c) {
      REQUIRE(u(r, c) == u(100 - r, c));
      REQUIRE(u(r, c) == u(r, 100 - c));
      REQUIRE(u(r, c) == u(c, r));
    }
  CHECK(u(50, 20) != 0.0f);
}

TEST_CASE("stepping leaves the caller's floating-point control as it was") {
  const extent size{4, 40};
  const auto current = random_field(size, 1, -1, 1), coefficient = random_field(size, 2, 0, 0.3f);
  field next(size);
  step_tile(next.view(), current.view(), coefficient.view(), border(size, 0, 0.5).part(whole(size)));
  volatile float small = 1e-38f;
  CHECK(small * 0.1f > 0.0f);  // zero if denormals were still flushed
}

TEST_CASE("numbers that are not numbers count as an infinite difference") {
  field a({2, 2}), b({2, 2});
  a(0, 1) = 1.5f;
  CHECK(largest_difference(a.view(), b.view()) == 1.5);
  b(1, 1) = std::numeric_limits<float>::quiet_NaN();
  CHECK(largest_difference(a.view(), b.view()) == std::numeric_limits<double>::infinity());
}
