// stub_opencl.cpp - a library with the names of OpenCL 1.2 whose every call fails: a driver that is broken.
//
// Threads     any.
#include <cstdlib>

namespace {

/// Up to which call it goes well: STUB_OPENCL is "platforms" or "devices", else none.
bool gets_to(char step) {
  const char* const how = std::getenv("STUB_OPENCL");
  return how && (how[0] == step || how[0] == 'd');
}
constexpr int platform_not_found = -1001, out_of_host_memory = -6, device_not_available = -2;

}  // namespace

extern "C" {

int clGetPlatformIDs(unsigned, void** all, unsigned* count) {
  if (!gets_to('p')) return platform_not_found;
  if (count) *count = 1;
  if (all) all[0] = &all;
  return 0;
}
int clGetDeviceIDs(void*, unsigned long, unsigned, void** all, unsigned* count) {
  if (!gets_to('d')) return out_of_host_memory;
  if (count) *count = 1;
  if (all) all[0] = &all;
  return 0;
}
void* clCreateContext(const long*, unsigned, void* const*, void*, void*, int* status) {
  return *status = device_not_available, nullptr;
}

#define STUB(name) \
  int name() { return device_not_available; }
// clang-format off
STUB(clGetDeviceInfo) STUB(clCreateSubBuffer) STUB(clGetMemObjectInfo) STUB(clGetKernelInfo)
STUB(clGetKernelWorkGroupInfo) STUB(clEnqueueMapBuffer) STUB(clEnqueueUnmapMemObject) STUB(clEnqueueMigrateMemObjects)
STUB(clGetPlatformInfo) STUB(clReleaseContext) STUB(clCreateCommandQueue) STUB(clReleaseCommandQueue)
STUB(clCreateBuffer) STUB(clReleaseMemObject) STUB(clCreateProgramWithSource) STUB(clCreateProgramWithBinary)
STUB(clBuildProgram) STUB(clGetProgramBuildInfo) STUB(clGetProgramInfo) STUB(clReleaseProgram) STUB(clCreateKernel)
STUB(clReleaseKernel) STUB(clSetKernelArg) STUB(clEnqueueNDRangeKernel) STUB(clEnqueueReadBuffer)
STUB(clEnqueueWriteBuffer) STUB(clEnqueueReadBufferRect) STUB(clEnqueueWriteBufferRect) STUB(clEnqueueCopyBuffer)
STUB(clEnqueueCopyBufferRect) STUB(clEnqueueFillBuffer) STUB(clEnqueueMarkerWithWaitList)
STUB(clEnqueueBarrierWithWaitList) STUB(clGetEventInfo) STUB(clReleaseEvent) STUB(clFlush) STUB(clFinish)
STUB(clSetEventCallback) STUB(clCreateSubDevices)
// clang-format on

}  // extern "C"
