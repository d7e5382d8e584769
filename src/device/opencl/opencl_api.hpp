// opencl_api.hpp - the functions of an OpenCL library that is loaded at run time, and the names of its errors.
//
// Threads     loaded once per library; the functions may be called from any thread.
// Cost        a call is a call through a pointer, like the loader's own.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <memory>
#include <string>
#include <string_view>

namespace stretto::device::opencl {

// From this list come the pointers and their names.
// clang-format off
#define STRETTO_OPENCL_FUNCTIONS(X)                                                                              \
  X(clGetPlatformIDs) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clGetPlatformInfo) X(clCreateContext)               \
  X(clReleaseContext) X(clCreateSubDevices) X(clCreateCommandQueue) X(clReleaseCommandQueue) X(clCreateBuffer)   \
  X(clReleaseMemObject) X(clGetMemObjectInfo) X(clCreateProgramWithSource) X(clCreateProgramWithBinary)          \
  X(clBuildProgram) X(clGetProgramBuildInfo) X(clGetProgramInfo) X(clReleaseProgram) X(clCreateSubBuffer)        \
  X(clGetKernelInfo) X(clGetKernelWorkGroupInfo) X(clCreateKernel) X(clReleaseKernel) X(clSetKernelArg)          \
  X(clEnqueueNDRangeKernel) X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueReadBufferRect)            \
  X(clEnqueueWriteBufferRect) X(clEnqueueCopyBuffer) X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject)            \
  X(clEnqueueFillBuffer) X(clEnqueueMarkerWithWaitList) X(clEnqueueBarrierWithWaitList)                          \
  X(clEnqueueMigrateMemObjects) X(clGetEventInfo) X(clSetEventCallback) X(clReleaseEvent) X(clFlush) X(clFinish)
// clang-format on

/// The library; it stays open.
struct api {
#define STRETTO_POINTER(f) decltype(&::f) f = nullptr;
  STRETTO_OPENCL_FUNCTIONS(STRETTO_POINTER)
#undef STRETTO_POINTER

  /// Opens the library. Throws K40 with the loader's reason or the missing function.
  static std::shared_ptr<const api> load(const std::string& library = "libOpenCL.so.1");
};

/// "CL_OUT_OF_RESOURCES (-5)".
std::string name_of(cl_int status);

/// Throws K41 unless the call succeeded.
void check(cl_int status, std::string_view call);

}  // namespace stretto::device::opencl
