// staged.cpp - elements between devices of two ranks, as one writes it by hand with MPI and OpenCL: read to the host, sent, written.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <mpi.h>

#include <algorithm>
#include <string>
#include <vector>

#include "messages.hpp"

namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw bench::unsupported(std::string(what) + " failed with " + std::to_string(status));
}

}  // namespace

bench::outcome time_nodes_staged(const bench::options& o) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks != 2) throw bench::unsupported("start two processes: mpirun -np 2");
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int status = CL_SUCCESS;
  check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  check(status, "clCreateContext");
  const cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
  const auto bytes = static_cast<std::size_t>(o.size);
  const cl_mem there = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  check(status, "clCreateBuffer");
  std::vector<char> staged(bytes, 1);
  check(clEnqueueWriteBuffer(queue, there, CL_TRUE, 0, bytes, staged.data(), 0, nullptr, nullptr), "clEnqueueWriteBuffer");
  const int other = 1 - rank, count = static_cast<int>(bytes);
  const auto send = [&] {
    clEnqueueReadBuffer(queue, there, CL_TRUE, 0, bytes, staged.data(), 0, nullptr, nullptr);
    MPI_Send(staged.data(), count, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  };
  const auto receive = [&] {
    MPI_Recv(staged.data(), count, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    clEnqueueWriteBuffer(queue, there, CL_TRUE, 0, bytes, staged.data(), 0, nullptr, nullptr);
  };
  const long turns = std::max(1L, bytes > 200'000 ? o.steps / 5 : bytes > 4096 ? 2 * o.steps : 10 * o.steps);
  MPI_Barrier(MPI_COMM_WORLD);
  const bench::stopwatch clock;
  for (long i = 0; i < turns; ++i) {
    if (rank == 0) send();
    receive();
    if (rank == 1) send();
  }
  const double seconds = clock.seconds();
  clReleaseMemObject(there);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return {.value = seconds * 1e6 / (2.0 * static_cast<double>(turns))};
}
