// staged_cuda.cpp - elements between CUDA devices of two ranks, as one writes it by hand with MPI and CUDA: read into page-locked memory, sent, written.
#include <mpi.h>

#include <algorithm>

#include "messages.hpp"
#include "peers/cuda/driver.hpp"

bench::outcome time_nodes_staged_by_cuda(const bench::options& o) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) throw bench::unsupported("start two processes: mpirun -np 2");
  const cuda::driver& d = cuda::driver::first();
  const auto bytes = static_cast<std::size_t>(o.size);
  const cuda::memory there(bytes);
  const cuda::locked_floats staged(bytes / sizeof(float) + 1, 1);
  const cuda::stream s;
  const int other = 1 - rank, count = static_cast<int>(bytes);
  const auto write = [&] {
    d.check(d.cuMemcpyHtoDAsync(there.at, staged.data(), bytes, s.handle), "cuMemcpyHtoDAsync");
    s.finish();
  };
  const auto send = [&] {
    d.check(d.cuMemcpyDtoHAsync(staged.data(), there.at, bytes, s.handle), "cuMemcpyDtoHAsync");
    s.finish();
    MPI_Send(staged.data(), count, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  };
  const auto receive = [&] {
    MPI_Recv(staged.data(), count, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    write();
  };
  write();
  const long turns = std::max(1L, bytes > 200'000 ? o.steps / 5 : bytes > 4096 ? 2 * o.steps : 10 * o.steps);
  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) {
    if (rank == 0) send();
    receive();
    if (rank == 1) send();
  }
  return {.value = clock.seconds() * 1e6 / (2.0 * static_cast<double>(turns))};
}
