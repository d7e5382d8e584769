// jacobi.cpp - the relaxation of the demo jacobi3d as one writes it with MPI: a block for each rank, faces exchanged by
// messages that do not block, one step after the other.
#include <mpi.h>

#include <vector>

#include "demo/jacobi3d/problem.hpp"
#include "messages.hpp"
#include "peers/mpi/blocks.hpp"

using namespace jacobi3d;

namespace {

bench::outcome count_cells(const problem& p) {
  const auto [mine, neighbour] = of_this_rank(p);
  field now(p, mine), next = now;
  std::vector<double> out[sides], in[sides];
  for (unsigned side = 0; side < sides; ++side) in[side].resize(face(now, side).size());

  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  for (std::uint32_t step = 0; step < p.iterations; ++step) {
    MPI_Request all[2 * sides];
    for (int side = 0; side < static_cast<int>(sides); ++side) {
      MPI_Irecv(in[side].data(), static_cast<int>(in[side].size()), MPI_DOUBLE, neighbour[side], side, MPI_COMM_WORLD,
                &all[side]);
      if (neighbour[side] != MPI_PROC_NULL) out[side] = face(now, static_cast<unsigned>(side));
      MPI_Isend(out[side].data(), static_cast<int>(out[side].size()), MPI_DOUBLE, neighbour[side], side ^ 1,
                MPI_COMM_WORLD, &all[sides + static_cast<unsigned>(side)]);
    }
    MPI_Waitall(2 * sides, all, MPI_STATUSES_IGNORE);
    for (unsigned side = 0; side < sides; ++side)
      if (neighbour[side] != MPI_PROC_NULL) put_face(now, side, in[side]);
    relax(now, next);
    std::swap(now, next);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = clock.seconds();

  double change = 0;
  const field whole = relaxed_serially(p, change);
  if (largest_difference(now, mine, whole) != 0) throw bench::wrong_answer("a value is not the serial loop's");
  return {.value = static_cast<double>(cells(p.size)) * p.iterations / seconds / 1e6};
}

}  // namespace

bench::outcome count_nodes_jacobi(const bench::options& o) {
  const auto n = static_cast<std::uint32_t>(o.size);
  return count_cells({{n, n, n}, static_cast<std::uint32_t>(o.steps / 20)});
}

bench::outcome count_nodes_jacobi_weak(const bench::options& o) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto n = static_cast<std::uint32_t>(o.size);
  return count_cells({{n, n, n * static_cast<std::uint32_t>(ranks)}, static_cast<std::uint32_t>(o.steps / 20)});
}
