// stencil.hpp - one time step of the two-dimensional acoustic wave equation on one tile.
//
// Equation    (d/dt + s)^2 u = v^2 (d2/dx2 + d2/dy2) u: pressure u, velocity v, and a damping rate s that is 0
//             but near the border. Second order in time, fourth order in space:
//                 next = g ((2 u + c L u) - g older),   c = (v dt / h)^2,   g = exp(-s dt)
//             L u = -5 u + 4/3 (the four neighbours) - 1/12 (the four at distance two).
//             With g = 1 this is the plain leapfrog scheme.
// Threads     pure, apart from writing `older`. Tiles that share no memory may be stepped at the same time.
// Cost        16 bytes of memory traffic and 15 (border: 17) floating point operations per cell.
// Invariants  a cell's value depends on its inputs only, to the last bit: not on the tile it is in, its place in
//             a vector, or the vector's width. Nothing is contracted to fused multiply-adds, sums have one written
//             order, and the border's arithmetic with g = 1 equals the inside's. Numbers below the normal
//             range may count as zero (on x86-64 they do: step_x86_64.cpp).
// Source      leapfrog and its stability: Strikwerda, "Finite Difference Schemes and Partial Differential
//             Equations", chapter 8. The damping is the sponge of Cerjan, Kosloff, Kosloff, Reshef, "A
//             nonreflecting boundary condition", Geophysics 50 (1985): both time levels are multiplied by g
//             each step. Written as one expression here, so that the older level is not swept a second time.
#pragma once

#include "demo/wave/field.hpp"

namespace stretto::wave {

/// The factors g of one tile: g of cell (r, c) is row[r] * column[c].
struct damping {
  const float* row = nullptr;
  const float* column = nullptr;
  int plain_begin = 0, plain_end = 0;  // columns in [plain_begin, plain_end) have column[c] == 1
};

/// Advances one tile: `older` (time n - 1) is replaced by time n + 1.
///
///   older        the tile's cells; read and overwritten
///   current      the same cells at time n, readable `halo` cells beyond each side (corners are not read)
///   coefficient  c of each cell; the scheme is stable for 0 <= c <= stable_coefficient
///   border       the tile's factors, each in (0, 1]
///
/// The three fields have the same size and do not overlap.
void step_tile(field_view<float> older, field_view<const float> current, field_view<const float> coefficient,
               const damping& border);

/// The largest c for which no mode grows: -L has eigenvalues up to 2 * 16/3, and c times that must not pass 4.
inline constexpr double stable_coefficient = 3.0 / 8.0;

/// L u at one cell, in double: the energy's view of the same stencil.
inline double laplacian(const float* u, std::ptrdiff_t stride) {
  const double near = double(u[-1]) + u[1] + u[-stride] + u[stride];
  const double far = double(u[-2]) + u[2] + u[-2 * stride] + u[2 * stride];
  return -5.0 * u[0] + 4.0 / 3.0 * near - 1.0 / 12.0 * far;
}

}  // namespace stretto::wave
