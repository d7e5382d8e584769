// problem.hpp - Laplace's equation on a box of cells, relaxed by Jacobi: each new value is the mean of its six
// neighbours.
//
// The border has the values of x*x - y*y, which solves the equation, so that the cells inside come nearer to it; they
// begin at 0.
//
// Threads     pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace jacobi3d {

using triple = std::array<std::uint32_t, 3>;  // x, y, z

inline std::size_t cells(const triple& t) { return std::size_t{t[0]} * t[1] * t[2]; }

struct problem {
  triple size = {96, 96, 96};
  std::uint32_t iterations = 100;
};

/// Cells of the problem, as a box.
struct block {
  triple first = {}, size = {};
};

/// Values of a block and of one cell around it, x fastest.
struct field {
  field() = default;
  /// As it begins: the border's values outside of the problem, 0 inside.
  field(const problem& p, const block& b);

  std::size_t stride(unsigned axis) const {
    return axis == 0 ? 1 : axis == 1 ? size[0] + 2 : std::size_t{size[0] + 2} * (size[1] + 2);
  }
  std::size_t at(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return x + 1 + (y + 1) * stride(1) + (z + 1) * stride(2);
  }

  triple size = {};
  std::vector<double> values;
};

/// One step from `now` to `next`, which have the same size.
void relax(const field& now, field& next);
/// The largest change from one to the other, without what lies around.
double largest_change(const field& now, const field& next);

/// The largest difference of a block's values from those of the whole problem; not a number where one is none.
double largest_difference(const field& one, const block& where, const field& whole);

/// Sides are numbered 2 * axis, and one more for the upper one; side ^ 1 is the opposite one.
inline constexpr unsigned sides = 6;
/// The cells at that side, of the block itself.
std::vector<double> face(const field& f, unsigned side);
/// Puts a neighbour's face around the block, at that side. Throws std::length_error if it is of another size.
void put_face(field& f, unsigned side, const std::vector<double>& values);

/// How many blocks along each axis: as many in all, with the least surface between them. Throws W33 if the problem
/// cannot be cut so.
triple cut(const triple& size, std::uint32_t blocks);
/// The block at a position of the cut.
block block_at(const triple& size, const triple& parts, const triple& position);

/// By one thread, in one piece.
field relaxed_serially(const problem& p, double& last_change);

/// "96" or "96x64x32"; throws W33.
triple read_size(const std::string& text);
/// "1,2,4"; throws W33.
std::vector<std::uint32_t> read_factors(const std::string& text);

}  // namespace jacobi3d
