// cuda_options.hpp - options for opening NVIDIA's devices.
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

namespace stretto::device::cuda {

struct options {
  std::string library = "libcuda.so.1";
  std::string compiler;            // NVRTC's library; empty: the usual places
  std::uint64_t memory_bytes = 0;  // of each device; 0: nine tenths of the free memory, or of this process's part of it
  std::uint64_t host_memory_bytes = 0;  // host memory that kernels access in place
  bool check = false;                   // kernels check their indices
  bool pool = true;                     // one allocation for the device; false: one per block in use
  bool flags = true;  // streams signal completion by a flag in host memory, if the driver can; false: by events
  std::filesystem::path cache = kernel_cache::default_folder();
  unsigned at_most = ~0u;                                  // most devices to open
  std::optional<std::vector<device_selection>> only = {};  // absent: all
};

}  // namespace stretto::device::cuda
