// staged_opencl.cpp - transfers between devices of two ranks with plain MPI and OpenCL: read to the host, sent,
// written.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "staged_transfer.hpp"

namespace {

void check(cl_int status, const char* what) {
  if (status != CL_SUCCESS) throw bench::unsupported(std::string(what) + " failed with " + std::to_string(status));
}

}  // namespace

bench::outcome time_nodes_staged(const bench::options& o) {
  const int rank = rank_of_two();
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
  check(clEnqueueWriteBuffer(queue, there, CL_TRUE, 0, bytes, staged.data(), 0, nullptr, nullptr),
        "clEnqueueWriteBuffer");
  const int other = 1 - rank, count = static_cast<int>(bytes);
  const auto send = [&] {
    clEnqueueReadBuffer(queue, there, CL_TRUE, 0, bytes, staged.data(), 0, nullptr, nullptr);
    MPI_Send(staged.data(), count, MPI_BYTE, other, 0, MPI_COMM_WORLD);
  };
  const auto receive = [&] {
    MPI_Recv(staged.data(), count, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    clEnqueueWriteBuffer(queue, there, CL_TRUE, 0, bytes, staged.data(), 0, nullptr, nullptr);
  };
  const bench::outcome result = one_way(o, rank, send, receive);
  clReleaseMemObject(there);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return result;
}
