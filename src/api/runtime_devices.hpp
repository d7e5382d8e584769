// runtime_devices.hpp - opens the devices of a runtime: those that its options name; if other processes of the host
// name the same devices, its share of them.
//
// Threads     the thread that makes the runtime. It waits for the other processes of its job on the host.
#pragma once

#include <memory>

#include "base/options.hpp"
#include "device/device_set.hpp"
#include "dist/job_member.hpp"

namespace stretto {

/// Null if there are none to open: a runtime without devices calls no driver. Logs, as `node`, the devices that it has
/// and why.
///   of       the job that the runtime has joined; null: none
///   throws   K26, K27, K29; K47 where another node of the job cannot
std::unique_ptr<device::device_set> open_devices(const base::settings& s, bool stepped, dist::job_member* of,
                                                 std::uint16_t node);

}  // namespace stretto
