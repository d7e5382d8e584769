// cuda_device.hpp - NVIDIA's devices, through their driver and NVRTC; neither is needed to build or to start.
//
// A device has the context that CUDA's other interface shares (the primary one), and its memory is one allocation, whose
// addresses are the driver's own; without the pool, addresses that are set aside stand for one allocation per block. Copies from memory of the host that is not page-locked make the caller wait while the
// driver takes the bytes over: allocate_host gives memory where they do not.
//
// Threads     as device.hpp. Nothing waits: poll() looks at a word of each stream, or asks for its oldest event.
// Cost        as the driver's own, and a lock per stream and call. An end is told by a word that the stream sets in the host's memory, which
//             is read without a call (asking for an event takes a microsecond); where drivers cannot, by an event that is used again.
// Invariants  streams do not wait for CUDA's default stream; marks are events, so that streams wait without the host.
#pragma once

#include <vector>

#include "device/backend.hpp"
#include "device/cuda/cuda_options.hpp"

namespace stretto::device::cuda {

/// Never throws for what is missing: that is one entry with a reason.
std::vector<opened_device> find(const options& o);

}  // namespace stretto::device::cuda
