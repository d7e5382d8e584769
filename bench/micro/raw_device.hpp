// raw_device.hpp - raw OpenCL without Stretto, for comparison.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

#include "device/opencl/opencl_api.hpp"

namespace bench {

namespace opencl = stretto::device::opencl;

/// The first device of the first driver, with an in-order queue and one empty kernel.
struct raw_device {
  std::shared_ptr<const opencl::api> cl = opencl::api::load();
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_kernel kernel = nullptr;
  cl_mem buffer = nullptr;

  explicit raw_device(std::size_t bytes = 4096) {
    cl_platform_id p = nullptr;
    cl_device_id d = nullptr;
    opencl::check(cl->clGetPlatformIDs(1, &p, nullptr), "clGetPlatformIDs");
    opencl::check(cl->clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, nullptr), "clGetDeviceIDs");
    cl_int status = CL_SUCCESS;
    context = cl->clCreateContext(nullptr, 1, &d, nullptr, nullptr, &status);
    queue = cl->clCreateCommandQueue(context, d, 0, &status);
    buffer = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
    const char* text = "kernel void nothing(global int* x) {}";
    const std::size_t length = std::strlen(text);
    const cl_program program = cl->clCreateProgramWithSource(context, 1, &text, &length, &status);
    opencl::check(cl->clBuildProgram(program, 1, &d, "", nullptr, nullptr), "clBuildProgram");
    kernel = cl->clCreateKernel(program, "nothing", &status);
    opencl::check(status, "clCreateKernel");
    opencl::check(cl->clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    cl->clReleaseProgram(program);
  }
  ~raw_device() {
    cl->clReleaseKernel(kernel);
    cl->clReleaseMemObject(buffer);
    cl->clReleaseCommandQueue(queue);
    cl->clReleaseContext(context);
  }
};

}  // namespace bench
