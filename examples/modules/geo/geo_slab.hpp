// geo_slab.hpp - a stencil in three dimensions, in slabs of planes: its kernel, the slab of a process, and the check,
// for both versions of the program.
//
// Planes are numbered through all slabs. The first and the last plane and the rims of all planes keep their values.
//
// Source      the stencil GEO of Grossman et al., "A Pluggable Framework for Composable HPC Scheduling Libraries",
//             section II.D: the planes at the faces of a slab on the host, those between them on a device.
#pragma once

#include <stretto/stretto.hpp>

#include <vector>

namespace geo {

// clang-format off
STRETTO_KERNEL(diffused, (in<float, 3> u, out<float, 3> v), {
  int z = global_id(0);
  int y = global_id(1);
  int x = global_id(2);
  v(z, y, x) = 0.4f * u(z, y, x) + 0.1f * (u(z - 1, y, x) + u(z + 1, y, x) + u(z, y - 1, x) + u(z, y + 1, x) +
                                           u(z, y, x - 1) + u(z, y, x + 1));
})
// clang-format on

inline constexpr int no_neighbour = -1;

/// geo [SIDE [STEPS]]
struct arguments {
  int side = 48;
  int steps = 20;

  static arguments parse(int argc, char** argv);
};

/// The planes of one process: first to last - 1, with one more of each neighbour.
struct slab {
  int side, first, last, before, after;  // the numbers of the neighbours

  /// Throws std::invalid_argument if a slab would have fewer than four planes.
  static slab of(int process, int processes, int side);

  /// Planes from `from` to `to` - 1: all elements of them, and those that a step computes.
  stretto::box planes(int from, int to) const { return {{from, 0, 0}, {to, side, side}}; }
  stretto::box computed(int from, int to) const { return {{from, 1, 1}, {to, side - 1, side - 1}}; }
  stretto::box whole() const { return planes(first - 1, last + 1); }
  std::size_t plane_elements() const { return static_cast<std::size_t>(side) * static_cast<std::size_t>(side); }
};

using field = stretto::instance<float, 3>;

/// Writes the values at the start. Host memory.
void begin(const field& u);
/// The options of a runtime with a device: that of STRETTO_DEVICES, or a simulated one.
stretto::runtime_options with_device();

/// The greatest difference of the own planes to what one loop over all planes computes.
float difference(const slab& s, int steps, const field& result);
/// Prints the result on process 0. The exit code of the program.
int report(const char* version, int process, const slab& s, const arguments& given, float difference, double seconds);

}  // namespace geo
