// fake_cuda.hpp - what a test may ask of the fake driver: faults, and what is left over.
//
// Threads     any.
#pragma once

namespace stretto::device::cuda {

/// Settings, each 0 unless said: "devices" (2), "memory" bytes of each (256 MiB), "version" (12040), "capability" (80), "peers"
/// (1: devices reach one another); statuses that are answered instead of success: "init", "retain", "alloc", "stream", "pinned", "write";
/// "launch": answered once, by the next launch; "fault": the n-th launch from now on writes where it must not; "pitch": copies
/// within a device want rows at multiples of this.
using fake_cuda_set_type = void(const char* what, long value);
/// "live": handles and memory that were not given back; "misuse": calls that were refused as wrong; "launches", "copies"; of
/// these "copies to the host", "copies to devices", "copies of devices"; "opened": allocations of other processes.
using fake_cuda_get_type = long(const char* what);

}  // namespace stretto::device::cuda
