// cuda_ipc.hpp - an allocation of a device as other processes of the host open it.
//
// The driver's handle names it on one machine only, and what opening one of another machine gives nobody says: so the token begins with what
// tells machines apart.
//
// Threads     any; the caller's context is current.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "device/cuda/cuda_api.hpp"

namespace stretto::device::cuda {

/// Of the allocation that begins there; empty where the driver gives no handle for it.
std::vector<std::byte> token_of(const api& cu, CUdeviceptr first);

/// What is exported under that token, at its address here; 0 where this process cannot have it, being the one that exports it, for instance.
/// To be closed with cuIpcCloseMemHandle.
CUdeviceptr open_token(const api& cu, std::span<const std::byte> token);

}  // namespace stretto::device::cuda
