#include "demo/wave/tile_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <stretto/copy.hpp>

#include "demo/wave/first_failure.hpp"

namespace stretto::wave {
namespace {

constexpr int cache_line = 64 / sizeof(float);

bool holds_host_data(place_kind kind) { return kind == place_kind::numa || kind == place_kind::system_memory; }

/// The host memory closest to a worker's home; the home itself where it is one.
place memory_near(const platform& machine, std::uint32_t worker) {
  const place home = machine.home(worker);
  if (holds_host_data(machine.kind(home))) return home;
  for (const auto& near : machine.affinities(home, place_role::memory))
    if (holds_host_data(machine.kind(near.to))) return near.to;
  return home;
}

/// The cells of an instance from `first` on, as the numerics see them.
field_view<float> view_of(const instance<float, 2>& all, const rectangle& cells) {
  const auto view = all.view();
  return {&view(cells.row, cells.column), std::ptrdiff_t(view.stride_bytes(0)) / std::ptrdiff_t(sizeof(float)),
          cells.size()};
}

/// Rows of whole cache lines.
std::array<std::int64_t, 2> strides_of(const box& cells) {
  return {(cells.length(1) + cache_line - 1) / cache_line * cache_line, 1};
}

}  // namespace

tile_fields::tile_fields(const problem& wave, const tiling& tiles, const platform& machine) : wave_(wave) {
  std::vector<place> memories;
  for (std::uint32_t w = 0; w < machine.worker_count(); ++w) memories.push_back(memory_near(machine, w));
  const auto whole_ground = wave.coefficient.view();
  const std::array<std::int64_t, 2> ground_strides{whole_ground.stride, 1};
  // The program's memory is only read.
  const auto ground = instance<float, 2>::external(const_cast<float*>(whole_ground.origin), box_of(whole(wave.size())),
                                                   {.strides = ground_strides, .name = "ground"});
  const std::size_t count = tiles.tiles.size();
  tiles_.reserve(count);
  std::vector<event> at_rest;
  for (std::size_t i = 0; i < count; ++i) {
    const rectangle& cells = tiles.tiles[i];
    const place memory = memories[i * memories.size() / count];
    const box own = box_of(cells);
    // A tile's own cells begin on a cache line, for the stores of the stencil.
    const box with_neighbours({cells.row - halo, cells.column - cache_line}, {cells.row_end + halo, cells.column_end + halo});
    const auto strides = strides_of(with_neighbours), own_strides = strides_of(own);
    state& tile = tiles_.emplace_back(
        state{fmt::format("tile {},{}", i % std::size_t(tiles.across), i / std::size_t(tiles.across)), cells,
              wave.edge.part(cells), {}, {}, {}, {}});
    for (pressure& u : tile.u) {
      u = pressure::create(stretto::at(memory), with_neighbours, {.strides = strides, .name = tile.name}).made;
      at_rest.push_back(fill(u, 0.0f));
    }
    tile.ground =
        instance<float, 2>::create(stretto::at(memory), own, {.strides = own_strides, .name = tile.name}).made;
    at_rest.push_back(copy(ground, tile.ground, own));
  }
  const auto failed = first_failure(merge(at_rest));
  ground.destroy();
  if (failed) {
    release();
    std::rethrow_exception(failed);
  }
  for (state& tile : tiles_) {
    for (std::size_t i = 0; i < tile.u.size(); ++i) tile.view[i] = view_of(tile.u[i], tile.cells);
    tile.coefficient = view_of(tile.ground, tile.cells);
  }
}

tile_fields::~tile_fields() { release(); }

void tile_fields::release() noexcept {
  for (const state& tile : tiles_)
    for (const auto& one : {tile.u[0], tile.u[1], tile.ground}) one.destroy();
}

void tile_fields::step(std::size_t i, int n) const {
  const state& tile = tiles_[i];
  const auto current = tile.view[std::size_t(n & 1)], next = tile.view[std::size_t((n + 1) & 1)];
  step_tile(next, current, tile.coefficient, tile.border);
  inject(next, tile.coefficient, tile.cells, wave_.sources, wave_.wavelet[std::size_t(n)]);
}

}  // namespace stretto::wave
