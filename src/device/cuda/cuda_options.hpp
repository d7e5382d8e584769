// cuda_options.hpp - how NVIDIA's devices are opened.
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
  std::string compiler;            // NVRTC's library; empty: wherever it usually is
  std::uint64_t memory_bytes = 0;  // of each device; 0: nine tenths of what is free, or of this process's part of that
  std::uint64_t host_memory_bytes = 0;  // that kernels use in place
  bool check = false;  // kernels look at their indices
  bool pool = true;  // one allocation is the memory; else one for each block in use
  bool flags = true;  // streams tell of their ends by a word of the host, where the driver can; else by events
  std::filesystem::path cache = kernel_cache::default_folder();
  unsigned at_most = ~0u;  // devices
  std::optional<std::vector<device_selection>> only = {};  // else all
};

}  // namespace stretto::device::cuda
