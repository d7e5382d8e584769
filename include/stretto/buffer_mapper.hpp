// buffer_mapper.hpp - mappers that launches and host tasks on buffers have beside those of mapper.hpp.
//
//     launch(jacobi, inside, u(star(1)), v(one_to_one), 0.1f);       // of u a cross: no corners are sent
//     launch(life, board, now(wrapped(1)), next(one_to_one));        // a torus
//     launch(scale, rows, table(even_split), x(one_to_one));         // rows of the table in proportion
//
// Threads     constants and functions without state.
#pragma once

#include <stretto/box.hpp>
#include <stretto/compiler.hpp>

STRETTO_API_BEGIN

namespace stretto {

namespace mappers {

struct star {
  point border;
};
struct wrapped {
  point border;
};
struct even_split {};

}  // namespace mappers

/// As neighborhood, but along the axes only: a cross.
constexpr mappers::star star(coordinate border) { return {{border, border, border}}; }
constexpr mappers::star star(coordinate border0, coordinate border1, coordinate border2 = 0) {
  return {{border0, border1, border2}};
}
/// As neighborhood, and what lies beyond the border of the array at its other side.
constexpr mappers::wrapped wrapped(coordinate border) { return {{border, border, border}}; }
constexpr mappers::wrapped wrapped(coordinate border0, coordinate border1, coordinate border2 = 0) {
  return {{border0, border1, border2}};
}
/// Rows of the array in the proportion in which a chunk has rows of the range, whatever their numbers.
inline constexpr mappers::even_split even_split{};

}  // namespace stretto

STRETTO_API_END
