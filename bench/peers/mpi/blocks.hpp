// blocks.hpp - the block of the problem of the demo jacobi3d that each rank computes, and the ranks of its neighbours.
#pragma once

#include <mpi.h>

#include <array>

#include "demo/jacobi3d/problem.hpp"

namespace jacobi3d {

struct block_of_rank {
  block cells;
  std::array<int, sides> neighbour;  // MPI_PROC_NULL at the border
};

inline block_of_rank of_this_rank(const problem& p) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const triple parts = cut(p.size, static_cast<std::uint32_t>(ranks));
  const auto r = static_cast<std::uint32_t>(rank);
  const triple here{r % parts[0], r / parts[0] % parts[1], r / parts[0] / parts[1]};
  const int stride[] = {1, static_cast<int>(parts[0]), static_cast<int>(parts[0] * parts[1])};
  block_of_rank b{.cells = block_at(p.size, parts, here), .neighbour = {}};
  for (unsigned side = 0; side < sides; ++side) {
    const bool is_border = side % 2 ? here[side / 2] + 1 == parts[side / 2] : here[side / 2] == 0;
    b.neighbour[side] = is_border ? MPI_PROC_NULL : rank + (side % 2 ? stride[side / 2] : -stride[side / 2]);
  }
  return b;
}

}  // namespace jacobi3d
