// opencl_options.hpp - options for opening the devices of OpenCL drivers.
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
  // of each device; 0: the largest possible buffer, at most half of its memory, or this process's part of that
  std::uint64_t memory_bytes = 0;
  // host memory that kernels access in place, on devices that use the host's memory
  std::uint64_t host_memory_bytes = 0;
  bool check = false;  // kernels check their indices
  bool pool = true;    // one buffer for the device; false: one per block in use
  std::filesystem::path cache = kernel_cache::default_folder();
  unsigned at_most = ~0u;  // most devices to open
  unsigned parts = 1;      // equal parts of compute units into which each device is partitioned
  std::optional<std::vector<device_selection>> only = {};  // absent: all
};

}  // namespace stretto::device::opencl
