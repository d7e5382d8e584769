// opencl_device.hpp - devices of OpenCL 1.2 drivers, through the ICD loader if there is one.
//
// Every device has its own context: in a shared one, drivers move data on their own. Its memory is one buffer. OpenCL
// has no device addresses, so reserved addresses that nobody can access stand for it.
//
// Threads     as device.hpp. Nothing blocks: poll() queries the oldest operation of each stream.
// Cost        as the driver's own, and a lock per stream and call. A callback costs 33 us with PoCL, so callbacks are
//             used only while no thread polls.
// Invariants  a stream is an in-order queue; markers are OpenCL markers, so that streams wait without the host.
#pragma once

#include <vector>

#include "device/backend.hpp"
#include "device/opencl/opencl_options.hpp"

namespace stretto::device::opencl {

/// Opens devices. Never throws for a missing driver or device: the result then has one entry with a reason.
std::vector<opened_device> find(const options& o);

}  // namespace stretto::device::opencl
