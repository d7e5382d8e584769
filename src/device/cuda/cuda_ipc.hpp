// cuda_ipc.hpp - exports an allocation of a device to other processes of the host, and imports theirs.
//
// The driver's handle is valid on one machine only, and opening one of another machine is undefined. The token
// therefore begins with an identifier of the machine.
//
// Threads     any; the caller's context must be current.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "device/cuda/cuda_api.hpp"

namespace stretto::device::cuda {

/// The token of the allocation that begins at `first`; empty if the driver gives no handle for it.
std::vector<std::byte> token_of(const api& cu, CUdeviceptr first);

/// Imports the memory under that token and returns its address; 0 if this process cannot import it, for instance
/// because it is the exporter. Close it with cuIpcCloseMemHandle.
CUdeviceptr open_token(const api& cu, std::span<const std::byte> token);

}  // namespace stretto::device::cuda
