#include "demo/wave/tile_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
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

tile_fields::tile_fields(const wave_parameters& wave, const tiling& tiles, tile_range own, const pressure& ground,
                         const platform& machine)
    : wave_(wave), own_(own), all_(tiles.tiles.size()) {
  std::vector<place> memories;
  for (std::uint32_t w = 0; w < machine.worker_count(); ++w) memories.push_back(memory_near(machine, w));
  const std::size_t count = own.end - own.first;
  tiles_.reserve(count);
  std::vector<event> at_rest;
  for (std::size_t i = own.first; i < own.end; ++i) {
    const rectangle& cells = tiles.tiles[i];
    const place memory = memories[(i - own.first) * memories.size() / count];
    const box inside = box_of(cells);
    // A tile's own cells begin on a cache line, for the stores of the stencil.
    const box with_neighbours({cells.row - halo, cells.column - cache_line},
                              {cells.row_end + halo, cells.column_end + halo});
    const auto strides = strides_of(with_neighbours), inside_strides = strides_of(inside);
    state& tile = tiles_.emplace_back(
        state{fmt::format("tile {},{}", i % std::size_t(tiles.across), i / std::size_t(tiles.across)),
              cells,
              wave.edge.part(cells),
              {},
              {},
              {}});
    for (pressure& u : all_[i]) {
      u = pressure::create(stretto::at(memory), with_neighbours, {.strides = strides, .name = tile.name}).made;
      at_rest.push_back(fill(u, 0.0f));
    }
    tile.ground = pressure::create(stretto::at(memory), inside, {.strides = inside_strides, .name = tile.name}).made;
    at_rest.push_back(copy(ground, tile.ground, inside));
  }
  if (const auto failed = first_failure(merge(at_rest))) {
    release();
    std::rethrow_exception(failed);
  }
  for (std::size_t i = own.first; i < own.end; ++i) {
    state& tile = tiles_[i - own.first];
    for (std::size_t turn = 0; turn < tile.view.size(); ++turn) tile.view[turn] = view_of(all_[i][turn], tile.cells);
    tile.coefficient = view_of(tile.ground, tile.cells);
  }
}

tile_fields::~tile_fields() { release(); }

void tile_fields::release() noexcept {
  for (std::size_t i = own_.first; i < own_.first + tiles_.size(); ++i)
    for (const auto& one : {all_[i][0], all_[i][1], of(i).ground}) one.destroy();
}

std::vector<std::array<pressure, 2>> tile_fields::handles() const {
  return {all_.begin() + std::ptrdiff_t(own_.first), all_.begin() + std::ptrdiff_t(own_.end)};
}

void tile_fields::learn(tile_range which, const std::vector<std::array<pressure, 2>>& handles) {
  std::copy_n(handles.begin(), which.end - which.first, all_.begin() + std::ptrdiff_t(which.first));
}

void tile_fields::step(std::size_t i, int n) const {
  const state& tile = of(i);
  const auto current = tile.view[std::size_t(n & 1)], next = tile.view[std::size_t((n + 1) & 1)];
  step_tile(next, current, tile.coefficient, tile.border);
  inject(next, tile.coefficient, tile.cells, wave_.sources, wave_.wavelet[std::size_t(n)]);
}

}  // namespace stretto::wave
