// staged_cuda.cpp - transfers between CUDA devices of two ranks with plain MPI and CUDA: read into page-locked memory,
// sent, written.
#include <mpi.h>

#include "peers/cuda/driver.hpp"
#include "staged_transfer.hpp"

bench::outcome time_nodes_staged_by_cuda(const bench::options& o) {
  const int rank = rank_of_two();
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
  return one_way(o, rank, send, receive);
}
