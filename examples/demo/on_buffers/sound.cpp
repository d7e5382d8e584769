#include "demo/on_buffers/sound.hpp"

#include <algorithm>
#include <stretto/buffer.hpp>
#include <utility>
#include <vector>

#include "demo/wave/wave_kernels.hpp"

namespace on_buffers {
namespace {

using namespace stretto;

wave::field gathered(const buffer_accessor<float, 2>& from, wave::extent size) {
  wave::field all(size);
  const auto v = from.view();
  for (int r = 0; r < size.rows; ++r) std::copy_n(&v(r, 0), size.columns, all.view().row(r));
  return all;
}

}  // namespace

sound sound_on_nodes(const wave::problem& wave) {
  const wave::extent size = wave.size();
  const box cells({0, 0}, {size.rows, size.columns}), with_halo = cells.widened({wave::halo, wave::halo, 0});
  const wave::field_view<const float> c = wave.coefficient.view();
  const wave::damping factors = wave.edge.part(wave::whole(size));
  const buffer<float, 2> ground(cells,
                                [&](coordinate i, coordinate j) { return c(static_cast<int>(i), static_cast<int>(j)); },
                                {.name = "ground"});
  const buffer<float> row(box(0, size.rows), factors.row, {.name = "damping of rows"});
  const buffer<float> column(box(0, size.columns), factors.column, {.name = "damping of columns"});
  const auto at_rest = [](coordinate, coordinate) { return 0.0f; };
  buffer<float, 2> now(with_halo, at_rest, {.name = "pressure 0"}), other(with_halo, at_rest, {.name = "pressure 1"});

  const auto rows_of = [](const box& part) { return box(part.min()[0], part.max()[0]); };
  const auto columns_of = [](const box& part) { return box(part.min()[1], part.max()[1]); };
  for (const float amplitude : wave.wavelet) {
    launch(in_tiles, wave_step, cells, other(one_to_one), now(star(wave::halo)), ground(one_to_one), row(rows_of),
           column(columns_of));
    for (const wave::position& at : wave.sources)
      launch(wave_inject, box({at.row, at.column}, {at.row + 1, at.column + 1}), other(one_to_one), ground(one_to_one),
             amplitude);
    std::swap(now, other);
  }
  auto last = now.read(cells), before_last = other.read(cells);
  return {gathered(last.get(), size), gathered(before_last.get(), size)};
}

}  // namespace on_buffers
