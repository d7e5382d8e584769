// cuda_device.hpp - NVIDIA's devices, through their driver and NVRTC; neither is needed to build or to start.
//
// A device uses the primary context, which CUDA's runtime API shares. Its memory is one allocation at the driver's
// own addresses. Without the pool, reserved addresses stand for one allocation per block. A copy from host memory
// blocks the caller while the driver reads the bytes, unless lock_host() has page-locked the memory.
//
// Threads     as device.hpp. Nothing blocks: poll() reads a flag of each stream, or queries its oldest event.
// Cost        as the driver's own, and a lock per stream and call. A stream signals completion by writing a flag in
//             host memory, which is read without a driver call (querying an event takes a microsecond). Drivers that
//             cannot do so use reusable events.
// Invariants  streams do not wait for CUDA's default stream; markers are events, so that streams wait without the
//             host.
#pragma once

#include <vector>

#include "device/backend.hpp"
#include "device/cuda/cuda_options.hpp"

namespace stretto::device::cuda {

/// Opens devices. Never throws for a missing driver or device: the result then has one entry with a reason.
std::vector<opened_device> find(const options& o);

}  // namespace stretto::device::cuda
