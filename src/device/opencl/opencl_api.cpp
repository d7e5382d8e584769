#include "device/opencl/opencl_api.hpp"

#include <stretto/error.hpp>

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "device/driver_verdict.hpp"

namespace stretto::device::opencl {

std::shared_ptr<const api> api::load(const std::string& library) {
  if (const auto fault = fault_of_driver("opencl", library))
    throw error("K40", fmt::format("the OpenCL driver \"{}\" is broken", fault->driver))
        .because(fault->reason)
        .remedy("reinstall it, or remove its file from /etc/OpenCL/vendors; then run: stretto doctor");
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw error("K40", fmt::format("the OpenCL library \"{}\" cannot be opened", library))
        .because(dlerror())
        .remedy("apt-get install ocl-icd-libopencl1 pocl-opencl-icd, or the OpenCL driver of the device");
  // Never closed: threads and memory of the driver must not lose their code.
  const auto made = std::make_shared<api>();
#define STRETTO_FIND(f)                                                              \
  if (made->f = reinterpret_cast<decltype(&::f)>(dlsym(handle, #f)); !made->f)       \
    throw error("K40", fmt::format("the OpenCL library \"{}\" is too old", library)) \
        .because("it has no " #f ", which OpenCL 1.2 has")                           \
        .remedy("install a driver with OpenCL 1.2 or newer");
  STRETTO_OPENCL_FUNCTIONS(STRETTO_FIND)
#undef STRETTO_FIND
  return made;
}

std::string name_of(cl_int status) {
  constexpr std::array<std::pair<cl_int, const char*>, 26> names{{
      {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND"},
      {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE"},
      {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE"},
      {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES"},
      {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
      {CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP"},
      {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE"},
      {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
      {CL_INVALID_VALUE, "CL_INVALID_VALUE"},
      {CL_INVALID_DEVICE, "CL_INVALID_DEVICE"},
      {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT"},
      {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE"},
      {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT"},
      {CL_INVALID_BINARY, "CL_INVALID_BINARY"},
      {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS"},
      {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE"},
      {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME"},
      {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX"},
      {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE"},
      {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE"},
      {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS"},
      {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE"},
      {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE"},
      {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE"},
      {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
  }};
  for (const auto& [number, name] : names)
    if (number == status) return fmt::format("{} ({})", name, status);
  return fmt::format("OpenCL error {}", status);
}

void check(cl_int status, std::string_view call) {
  if (status == CL_SUCCESS) return;
  error e("K41", fmt::format("the OpenCL driver refused {}", call));
  e.because(name_of(status));
  if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE)
    e.remedy("leave it more of the device's memory: STRETTO_DEVICE_MEMORY says how much is taken");
  throw e;
}

}  // namespace stretto::device::opencl
