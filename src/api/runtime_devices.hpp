// runtime_devices.hpp - the devices of a runtime: those that its options ask for, and of these its part, where others
// of its host ask, too.
//
// Threads     the thread that makes the runtime. Where there are other processes of a job on the host it waits for
//             them.
#pragma once

#include <memory>

#include "base/options.hpp"
#include "device/device_set.hpp"
#include "dist/job_member.hpp"

namespace stretto {

/// Null where there are none to open: a runtime without devices asks no driver. Says in the log, as `node`, which it
/// has and why.
///   of       the job that it has joined; null: none
///   throws   K26, K27, K29; K47 where another node of the job cannot
std::unique_ptr<device::device_set> open_devices(const base::settings& s, bool stepped, dist::job_member* of,
                                                 std::uint16_t node);

}  // namespace stretto
