// fake_cuda.hpp - controls the fake CUDA driver: injected faults, and counts of leftovers.
//
// Threads     any.
#pragma once

namespace stretto::device::cuda {

/// Settings, 0 by default unless stated:
///   - "devices" (2), "memory" bytes of each (256 MiB), "version" (12040), "capability" (80)
///   - "peers" (1): devices can access one another
///   - "init", "retain", "alloc", "stream", "pinned", "write": statuses that these calls return instead of success
///   - "launch": a status that the next launch returns, once
///   - "fault": the n-th launch from now on makes an invalid access
///   - "pitch": copies within a device require row distances that are multiples of this
using fake_cuda_set_type = void(const char* what, long value);
/// Counts: "live" handles and memory that were not released; "misuse": calls refused as invalid; "launches";
/// "copies", and of these "copies to the host", "copies to devices" and "copies of devices"; "opened" allocations of
/// other processes.
using fake_cuda_get_type = long(const char* what);

}  // namespace stretto::device::cuda
