#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdio>
#include <utility>

#include "conformance/devices.hpp"
#include "device/opencl/opencl_api.hpp"
#include "device/opencl/opencl_device.hpp"

namespace stretto::device {

namespace {

void copy_in_queue(const native_call& on, native_array<const float> from, native_array<float> to, std::int64_t bytes) {
  static const auto cl = opencl::api::load();
  static void* const library = dlopen("libOpenCL.so.1", RTLD_NOW);
  static const auto clGetCommandQueueInfo =
      reinterpret_cast<decltype(&::clGetCommandQueueInfo)>(dlsym(library, "clGetCommandQueueInfo"));
  cl_context of_queue = nullptr;
  const auto queue = static_cast<cl_command_queue>(on.queue);
  cl_command_queue_properties how = 0;
  opencl::check(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, nullptr),
                "clGetCommandQueueInfo");
  opencl::check(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof how, &how, nullptr), "clGetCommandQueueInfo");
  CHECK(of_queue == on.context);
  CHECK((how & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0);
  CHECK(from.data == nullptr);
  opencl::check(
      cl->clEnqueueCopyBuffer(queue, static_cast<cl_mem>(from.buffer), static_cast<cl_mem>(to.buffer),
                              from.offset_bytes, to.offset_bytes, static_cast<std::size_t>(bytes), 0, nullptr, nullptr),
      "clEnqueueCopyBuffer");
}

memory_of_program memory_of_driver(const native_call& on, std::size_t bytes) {
  static const auto cl = opencl::api::load();
  cl_int status = CL_SUCCESS;
  const auto context = static_cast<cl_context>(on.context);
  const cl_command_queue queue = cl->clCreateCommandQueue(context, static_cast<cl_device_id>(on.device), 0, &status);
  opencl::check(status, "clCreateCommandQueue");
  const cl_mem made = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, nullptr, &status);
  opencl::check(status, "clCreateBuffer");
  std::shared_ptr<const void> kept(made, [queue, made](const void*) {
    cl->clReleaseMemObject(made);
    cl->clReleaseCommandQueue(queue);
  });
  return {{.buffer = made},
          std::move(kept),
          [queue, made](const void* from, std::size_t n) {
            opencl::check(cl->clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, n, from, 0, nullptr, nullptr),
                          "clEnqueueWriteBuffer");
          },
          [queue, made](void* to, std::size_t n) {
            opencl::check(cl->clEnqueueReadBuffer(queue, made, CL_TRUE, 0, n, to, 0, nullptr, nullptr),
                          "clEnqueueReadBuffer");
          }};
}

/// The binary of the first device.
std::string compiled_by(std::size_t n, const std::string& source) {
  const auto cl = opencl::api::load();
  cl_platform_id platform = nullptr;
  cl_device_id ids[16] = {};
  cl_uint count = 0;
  opencl::check(cl->clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  opencl::check(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, ids, &count), "clGetDeviceIDs");
  if (n >= count) return {};
  cl_int status = CL_SUCCESS;
  const cl_context context = cl->clCreateContext(nullptr, 1, &ids[n], nullptr, nullptr, &status);
  const char* text = source.c_str();
  const cl_program p = cl->clCreateProgramWithSource(context, 1, &text, nullptr, &status);
  opencl::check(cl->clBuildProgram(p, 1, &ids[n], "", nullptr, nullptr), "clBuildProgram");
  std::size_t bytes = 0;
  cl->clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr);
  std::string binary(bytes, '\0');
  auto* to = reinterpret_cast<unsigned char*>(binary.data());
  opencl::check(cl->clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr), "clGetProgramInfo");
  cl->clReleaseProgram(p);
  cl->clReleaseContext(context);
  return binary;
}

}  // namespace

std::vector<candidate> opencl_candidates() {
  std::vector<candidate> all;
  const opencl::options o{.memory_bytes = 64 << 20, .host_memory_bytes = 1 << 20, .cache = {}};
  static const std::vector<std::string> there = usable(opencl::find(o));
  opencl::options of_blocks = o;
  of_blocks.pool = false;
  for (std::size_t i = 0; i < there.size(); ++i)
    if (!there[i].empty())
      for (const opencl::options& how : {o, of_blocks})
        all.push_back({"opencl " + there[i] + (how.pool ? "" : ", without a pool"),
                       [how, i] { return usable(opencl::find(how), i); },
                       {},
                       copy_in_queue,
                       memory_of_driver,
                       [i](const std::string& source) { return compiled_by(i, source); }});
  // The halves of the first device, if it has two compute units.
  opencl::options in_parts = o;
  in_parts.parts = 2;
  in_parts.at_most = 2;
  if (const auto halves = opencl::find(in_parts); halves[0].is)
    for (const std::size_t half : {0u, 1u})
      all.push_back({"opencl " + halves[half].name,
                     [in_parts, half] { return usable(opencl::find(in_parts), half); },
                     {},
                     copy_in_queue,
                     memory_of_driver,
                     [](const std::string& source) { return compiled_by(0, source); }});
  else
    std::fprintf(stderr, "no conformance test of parts of %s: %s\n", halves[0].name.c_str(), halves[0].reason.c_str());
  return all;
}

}  // namespace stretto::device
