// buffer_mapper.hpp - further mappers for launches and host tasks on buffers: star, wrapped, even_split.
//
//     STRETTO_KERNEL(next_cell, (in<int, 2> now, out<int, 2> next), {
//       int i = global_id(0), j = global_id(1);
//       next(i, j) = now(i, j - 1) ^ now(i, j + 1) ^ now(i - 1, j) ^ now(i + 1, j);
//     })
//     void step(const buffer<int, 2>& now, const buffer<int, 2>& next) {
//       const box inside = now.elements().widened({-1, -1});
//       launch(next_cell, inside, now(star(1)), next(one_to_one));  // no node sends corners
//       host_task(box(0, 8), [](const box& chunk, view<const int, 2>) { std::puts(chunk.text().c_str()); },
//                 now.in(even_split));                             // an eighth of the rows for each id
//     }
//
// Threads     constants and functions without state.
#pragma once

#include <stretto/box.hpp>
#include <stretto/compiler.hpp>

STRETTO_API_BEGIN

namespace stretto {

namespace mappers {

/// The type of star(...).
struct star {
  point border;
};
/// The type of wrapped(...).
struct wrapped {
  point border;
};
/// The type of even_split.
struct even_split {};

}  // namespace mappers

/// The neighbourhood of each item along the axes only, without corners: a cross. `border` elements along every axis, or
/// a number for each axis.
constexpr mappers::star star(coordinate border) { return {{border, border, border}}; }
constexpr mappers::star star(coordinate border0, coordinate border1, coordinate border2 = 0) {
  return {{border0, border1, border2}};
}
/// The neighbourhood of each item with periodic boundaries: elements beyond a border of the array are those at its
/// other side. `border` elements along every axis, or a number for each axis.
constexpr mappers::wrapped wrapped(coordinate border) { return {{border, border, border}}; }
constexpr mappers::wrapped wrapped(coordinate border0, coordinate border1, coordinate border2 = 0) {
  return {{border0, border1, border2}};
}
/// The rows of the array in the proportion of the chunk's rows in the range. The numbers of rows may differ.
inline constexpr mappers::even_split even_split{};

}  // namespace stretto

STRETTO_API_END
