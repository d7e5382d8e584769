// driver_probe.cpp - a program of its own that opens a driver and asks it for its devices: a broken driver ends or
// stops this process, and not the program that wants devices (device/driver_verdict.hpp).
//
//   stretto_driver_probe opencl|cuda LIBRARY
//
// Prints "survived" once the driver has answered, whatever the answer is: only what comes of calling it is in question
// here.
#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

template <class F>
F* function_of(void* library, const char* name) {
  return reinterpret_cast<F*>(::dlsym(library, name));
}

/// The names of all devices of all platforms, as `clinfo -l` asks for them.
void ask_opencl(void* library) {
  constexpr std::uint64_t all_types = 0xffffffff;
  constexpr unsigned name_of_device = 0x102b;
  const auto platforms_of = function_of<int(unsigned, void**, unsigned*)>(library, "clGetPlatformIDs");
  const auto devices_of =
      function_of<int(void*, std::uint64_t, unsigned, void**, unsigned*)>(library, "clGetDeviceIDs");
  const auto info_of = function_of<int(void*, unsigned, std::size_t, void*, std::size_t*)>(library, "clGetDeviceInfo");
  if (!platforms_of || !devices_of || !info_of) return;
  std::array<void*, 64> platforms{}, devices{};
  unsigned platform_count = 0;
  if (platforms_of(platforms.size(), platforms.data(), &platform_count) != 0) return;
  for (unsigned p = 0; p < platform_count && p < platforms.size(); ++p) {
    unsigned device_count = 0;
    if (devices_of(platforms[p], all_types, devices.size(), devices.data(), &device_count) != 0) continue;
    char name[1024];
    for (unsigned d = 0; d < device_count && d < devices.size(); ++d)
      info_of(devices[d], name_of_device, sizeof name, name, nullptr);
  }
}

void ask_cuda(void* library) {
  const auto initialise = function_of<int(unsigned)>(library, "cuInit");
  const auto count = function_of<int(int*)>(library, "cuDeviceGetCount");
  int devices = 0;
  if (initialise && count && initialise(0) == 0) count(&devices);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "stretto_driver_probe opencl|cuda LIBRARY: whether the driver can be asked for devices\n");
    return 2;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a hanging driver must not outlive the caller
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (void* const library = ::dlopen(words[2], RTLD_NOW | RTLD_LOCAL))
    std::strcmp(words[1], "cuda") == 0 ? ask_cuda(library) : ask_opencl(library);
  constexpr char survived[] = "survived\n";
  const bool is_written = ::write(STDOUT_FILENO, survived, sizeof survived - 1) > 0;
  ::_exit(is_written ? 0 : 1);  // skips the driver's exit handlers
}
