// runtime_devices.hpp - opens the devices that the options of a runtime name; of devices that several processes of
// the host name, only those assigned to this one.
//
// Threads     the thread that makes the runtime. It waits for the other processes of its job on the host.
#pragma once

#include <memory>

#include "base/options.hpp"
#include "device/device_set.hpp"
#include "dist/job_member.hpp"

namespace stretto {

/// Null, without a driver call, if the options name none. Logs, as `node`, which devices the runtime has, and why.
///   of       the job of the runtime; null: none
///   throws   K26, K27, K29; K47 if another node of the job cannot open its devices
std::unique_ptr<device::device_set> open_devices(const base::settings& s, bool stepped, dist::job_member* of,
                                                 std::uint16_t node);

}  // namespace stretto
