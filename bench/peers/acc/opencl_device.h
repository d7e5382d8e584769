// opencl_device.h - the device of the peers that use OpenCL by hand: the first one of the first platform.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "c_program.h"

static cl_context context;
static cl_command_queue queue;
static cl_device_id device;

static inline void check(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  printf("{\"skipped\":\"%s failed with %d\"}\n", what, status);
  exit(0);
}

static inline void open_device(void) {
  cl_platform_id platform = NULL;
  cl_int status = CL_SUCCESS;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &status);
  check(status, "clCreateCommandQueue");
}

static inline cl_mem buffer_of(size_t bytes) {
  cl_int status = CL_SUCCESS;
  const cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status);
  check(status, "clCreateBuffer");
  return made;
}

static inline void write_buffer(cl_mem to, const void* from, size_t bytes) {
  check(clEnqueueWriteBuffer(queue, to, CL_TRUE, 0, bytes, from, 0, NULL, NULL), "clEnqueueWriteBuffer");
}
static inline void read_buffer(void* to, cl_mem from, size_t bytes) {
  check(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL), "clEnqueueReadBuffer");
}
