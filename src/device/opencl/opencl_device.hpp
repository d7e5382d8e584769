// opencl_device.hpp - devices of OpenCL 1.2 drivers, through the ICD loader where there is one.
//
// Every device has a context of its own: in a common one drivers move data behind our back. Its memory is one buffer; the
// addresses of it that we hand out are set aside and cannot be touched, for OpenCL has none.
//
// Threads     as device.hpp. Nothing waits: poll() asks for the state of the oldest operation of each stream.
// Cost        as the driver's own, and a lock per stream and call. Callbacks are not used: with PoCL one costs 33 us.
// Invariants  a stream is an in-order queue; marks are markers, so that streams wait without the host.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/backend.hpp"
#include "device/kernel_cache.hpp"

namespace stretto::device::opencl {

struct options {
  std::string library = "libOpenCL.so.1";
  std::uint64_t memory_bytes = 0;  // of each device; 0: as much as one buffer can be, at most half of its memory
  std::uint64_t host_memory_bytes = 0;  // that kernels use in place, of devices that have the host's memory
  bool pool = true;  // one buffer is the memory; else one for each block in use
  std::filesystem::path cache = kernel_cache::default_folder();
  unsigned at_most = ~0u;  // devices
  unsigned parts = 1;      // that each device is cut into, with as many of its compute units each
};

/// Never throws for what is missing: that is one entry with a reason.
std::vector<found> find(const options& o);

}  // namespace stretto::device::opencl
