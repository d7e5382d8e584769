// run.hpp - the problem on the nodes of the job, cut into more or fewer cuboids, each time held against a serial loop.
//
// Threads     called inside run() of node 0; the others have only to be there.
// Errors      W32 where a cuboid's values are not the serial loop's, W33 where the problem cannot be cut so.
#pragma once

#include <cstdint>
#include <vector>

#include "demo/jacobi3d/problem.hpp"

namespace jacobi3d {

struct measured {
  std::uint32_t factor = 1, cuboids = 1;  // cuboids per worker, and in all
  double seconds = 0;
  double last_change = 0;
};

enum class cells_on : std::uint8_t { host, devices };  // cuboids, or device_cuboids

struct report {
  problem what;
  cells_on where = cells_on::host;
  std::uint32_t nodes = 1, workers = 1;  // workers of each node
  double serial_seconds = 0;
  std::vector<measured> runs;

  double million_cells_per_second(double seconds) const;
  /// Of the workers together, to the serial loop times their number.
  double ratio_per_worker(const measured& m) const;
};

/// One run for each factor.
report run(const problem& p, const std::vector<std::uint32_t>& factors, std::uint32_t workers, cells_on where = cells_on::host);

/// Several lines.
std::string to_text(const report& r);

}  // namespace jacobi3d
