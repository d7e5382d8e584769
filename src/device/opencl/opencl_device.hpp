// opencl_device.hpp - devices of OpenCL 1.2 drivers, through the ICD loader where there is one.
//
// Every device has a context of its own: in a common one drivers move data behind our back. Its memory is one buffer; the
// addresses of it that we hand out are set aside and cannot be touched, for OpenCL has none.
//
// Threads     as device.hpp. Nothing waits: poll() asks for the state of the oldest operation of each stream.
// Cost        as the driver's own, and a lock per stream and call. Callbacks are not used: with PoCL one costs 33 us.
// Invariants  a stream is an in-order queue; marks are markers, so that streams wait without the host.
#pragma once

#include <vector>

#include "device/backend.hpp"
#include "device/opencl/opencl_options.hpp"

namespace stretto::device::opencl {

/// Never throws for what is missing: that is one entry with a reason.
std::vector<opened_device> find(const options& o);

}  // namespace stretto::device::opencl
