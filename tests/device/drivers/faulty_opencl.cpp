// faulty_opencl.cpp - the OpenCL library of this machine with injected faults: calls fail, or the device is lost.
//
// Other functions are those of the real library, which this one links.
//
// Threads     any.
#define CL_TARGET_OPENCL_VERSION 120
#include "device/drivers/faulty_opencl.hpp"

#include <CL/cl.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct fault {
  long after = 0;  // successful calls before the fault
  int status = 0;
  bool lasts = false;
};

std::mutex mutex;
std::map<std::string, fault> faults;
std::vector<cl_command_queue> queues;
std::string version;
cl_int lost_with = CL_SUCCESS;  // set: the device is lost
struct late_memory {
  bool is = false;
  unsigned long long left = 0;
  std::map<cl_mem, std::size_t> without, with;           // memory of their own
  std::map<cl_kernel, std::map<cl_uint, cl_mem>> given;  // which a launch uses
} late;

template <class F>
F* real(const char* name) {
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<F*>(dlsym(library, name));
}

/// The caller holds the lock. Pending operations of the lost device end: nothing may write host memory any more.
void lose(cl_int status) {
  lost_with = status;
  for (const cl_command_queue q : queues) real<decltype(clFinish)>("clFinish")(q);
}

/// The injected status of this call.
cl_int status_of(const char* call) {
  const std::scoped_lock lock(mutex);
  const bool is_for_device = std::strncmp(call, "clEnqueue", 9) == 0;
  if (const auto f = faults.find("device"); is_for_device && f != faults.end() && f->second.after-- <= 0) {
    const cl_int status = f->second.status;
    faults.erase(f);
    lose(status);
  }
  if (lost_with != CL_SUCCESS) return lost_with;
  const auto f = faults.find(call);
  if (f == faults.end() || f->second.after-- > 0) return CL_SUCCESS;
  const cl_int status = f->second.status;
  if (!f->second.lasts) faults.erase(f);
  return status;
}

/// Allocates memory for a buffer that is used now.
cl_int takes_memory(cl_mem b) {
  const std::scoped_lock lock(mutex);
  const auto found = late.without.find(b);
  if (found == late.without.end()) return CL_SUCCESS;
  if (found->second > late.left) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  late.left -= found->second;
  late.with.insert(*found);
  late.without.erase(found);
  return CL_SUCCESS;
}

}  // namespace

extern "C" {

void faulty_opencl_lazy(unsigned long long bytes) {
  const std::scoped_lock lock(mutex);
  late = {true, bytes, {}, {}, {}};
}

void faulty_opencl_set(const char* call, long after, int status, int lasts) {
  const std::scoped_lock lock(mutex);
  faults[call] = {after, status, lasts != 0};
}
void faulty_opencl_version(const char* text) {
  const std::scoped_lock lock(mutex);
  version = text;
}
void faulty_opencl_mend() {
  const std::scoped_lock lock(mutex);
  faults.clear();
  version.clear();
  lost_with = CL_SUCCESS;
  late = {};
}

#define FORWARD(result, name, parameters, arguments)                                 \
  result name parameters {                                                           \
    if (const cl_int status = status_of(#name); status != CL_SUCCESS) return status; \
    return real<decltype(name)>(#name) arguments;                                    \
  }
#define FORWARD_MADE(result, name, parameters, arguments)               \
  result name parameters {                                              \
    if (const cl_int failed = status_of(#name); failed != CL_SUCCESS) { \
      if (status) *status = failed;                                     \
      return nullptr;                                                   \
    }                                                                   \
    return real<decltype(name)>(#name) arguments;                       \
  }

#define FORWARD_USE(name, buffer, parameters, arguments)                                 \
  cl_int name parameters {                                                               \
    if (const cl_int status = status_of(#name); status != CL_SUCCESS) return status;     \
    if (const cl_int status = takes_memory(buffer); status != CL_SUCCESS) return status; \
    return real<decltype(name)>(#name) arguments;                                        \
  }

cl_mem clCreateBuffer(cl_context c, cl_mem_flags f, size_t n, void* p, cl_int* status) {
  if (const cl_int failed = status_of("clCreateBuffer"); failed != CL_SUCCESS) return *status = failed, nullptr;
  const cl_mem made = real<decltype(clCreateBuffer)>("clCreateBuffer")(c, f, n, p, status);
  const std::scoped_lock lock(mutex);
  if (late.is && made) late.without[made] = n;
  return made;
}
cl_int clReleaseMemObject(cl_mem b) {
  {
    const std::scoped_lock lock(mutex);
    late.without.erase(b);
    if (const auto found = late.with.find(b); found != late.with.end())
      late.left += found->second, late.with.erase(found);
  }
  return real<decltype(clReleaseMemObject)>("clReleaseMemObject")(b);
}
cl_int clEnqueueMigrateMemObjects(cl_command_queue q, cl_uint n, const cl_mem* b, cl_mem_migration_flags f, cl_uint k,
                                  const cl_event* w, cl_event* e) {
  if (const cl_int status = status_of("clEnqueueMigrateMemObjects"); status != CL_SUCCESS) return status;
  for (cl_uint i = 0; i < n; ++i)
    if (const cl_int status = takes_memory(b[i]); status != CL_SUCCESS) return status;
  return real<decltype(clEnqueueMigrateMemObjects)>("clEnqueueMigrateMemObjects")(q, n, b, f, k, w, e);
}
cl_int clSetKernelArg(cl_kernel k, cl_uint n, size_t bytes, const void* value) {
  if (value && bytes == sizeof(cl_mem)) {
    cl_mem b = nullptr;
    std::memcpy(&b, value, sizeof b);
    const std::scoped_lock lock(mutex);
    if (late.is && (late.without.contains(b) || late.with.contains(b))) late.given[k][n] = b;
  }
  return real<decltype(clSetKernelArg)>("clSetKernelArg")(k, n, bytes, value);
}
FORWARD_MADE(cl_program, clCreateProgramWithSource,
             (cl_context c, cl_uint n, const char** t, const size_t* l, cl_int* status), (c, n, t, l, status))
FORWARD_MADE(cl_kernel, clCreateKernel, (cl_program p, const char* n, cl_int* status), (p, n, status))
FORWARD(cl_int, clBuildProgram,
        (cl_program p, cl_uint n, const cl_device_id* d, const char* o, void(CL_CALLBACK* f)(cl_program, void*),
         void* u),
        (p, n, d, o, f, u))
cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint d, const size_t* o, const size_t* g,
                              const size_t* l, cl_uint n, const cl_event* w, cl_event* e) {
  if (const cl_int status = status_of("clEnqueueNDRangeKernel"); status != CL_SUCCESS) return status;
  std::map<cl_uint, cl_mem> used;
  {
    const std::scoped_lock lock(mutex);
    if (const auto found = late.given.find(k); found != late.given.end()) used = found->second;
  }
  for (const auto& [number, b] : used)
    if (const cl_int status = takes_memory(b); status != CL_SUCCESS) return status;
  return real<decltype(clEnqueueNDRangeKernel)>("clEnqueueNDRangeKernel")(q, k, d, o, g, l, n, w, e);
}
FORWARD_USE(clEnqueueWriteBuffer, b,
            (cl_command_queue q, cl_mem b, cl_bool w, size_t o, size_t s, const void* p, cl_uint n, const cl_event* l,
             cl_event* e),
            (q, b, w, o, s, p, n, l, e))
FORWARD_USE(clEnqueueReadBuffer, b,
            (cl_command_queue q, cl_mem b, cl_bool w, size_t o, size_t s, void* p, cl_uint n, const cl_event* l,
             cl_event* e),
            (q, b, w, o, s, p, n, l, e))
FORWARD(cl_int, clEnqueueMarkerWithWaitList, (cl_command_queue q, cl_uint n, const cl_event* w, cl_event* e),
        (q, n, w, e))
FORWARD(cl_int, clEnqueueBarrierWithWaitList, (cl_command_queue q, cl_uint n, const cl_event* w, cl_event* e),
        (q, n, w, e))

cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int* status) {
  if (const cl_int failed = status_of("clCreateCommandQueue"); failed != CL_SUCCESS) return *status = failed, nullptr;
  const cl_command_queue made = real<decltype(clCreateCommandQueue)>("clCreateCommandQueue")(c, d, p, status);
  const std::scoped_lock lock(mutex);
  if (made) queues.push_back(made);
  return made;
}
cl_int clReleaseCommandQueue(cl_command_queue q) {
  {
    const std::scoped_lock lock(mutex);
    std::erase(queues, q);
  }
  return real<decltype(clReleaseCommandQueue)>("clReleaseCommandQueue")(q);
}

cl_int clGetEventInfo(cl_event e, cl_event_info what, size_t bytes, void* to, size_t* there) {
  const cl_int status = what == CL_EVENT_COMMAND_EXECUTION_STATUS ? status_of("clGetEventInfo") : CL_SUCCESS;
  if (status == CL_SUCCESS) return real<decltype(clGetEventInfo)>("clGetEventInfo")(e, what, bytes, to, there);
  const std::scoped_lock lock(mutex);
  for (const cl_command_queue q : queues)
    real<decltype(clFinish)>("clFinish")(q);  // it has failed, and writes nothing any more
  std::memcpy(to, &status, sizeof status);
  return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t bytes, void* to, size_t* there) {
  {
    const std::scoped_lock lock(mutex);
    if (what == CL_DEVICE_VERSION && !version.empty()) {
      if (there) *there = version.size() + 1;
      if (to) std::memcpy(to, version.c_str(), std::min(bytes, version.size() + 1));
      return CL_SUCCESS;
    }
  }
  return real<decltype(clGetDeviceInfo)>("clGetDeviceInfo")(d, what, bytes, to, there);
}

}  // extern "C"
