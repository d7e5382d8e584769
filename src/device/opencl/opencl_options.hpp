// opencl_options.hpp - how devices of OpenCL drivers are opened.
//
// Threads     values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "device/kernel_cache.hpp"

namespace stretto::device::opencl {

struct options {
  std::string library = "libOpenCL.so.1";
  std::uint64_t memory_bytes = 0;  // of each device; 0: as much as one buffer can be, at most half of its memory, or this process's part of that
  std::uint64_t host_memory_bytes = 0;  // that kernels use in place, of devices that have the host's memory
  bool check = false;  // kernels look at their indices
  bool pool = true;  // one buffer is the memory; else one for each block in use
  std::filesystem::path cache = kernel_cache::default_folder();
  unsigned at_most = ~0u;  // devices
  unsigned parts = 1;      // that each device is cut into, with as many of its compute units each
  std::optional<std::vector<device_selection>> only = {};  // else all
};

}  // namespace stretto::device::opencl
