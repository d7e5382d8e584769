// accelerator_memory.hpp - memory of a rank's accelerator of OpenACC, as memory of Stretto's instances.
//
//     // In C: #pragma acc enter data create(plate[0:count])
//     event clear_on_device(double* plate, std::int64_t count) {
//       const native_memory its = native_memory_of(acc_deviceptr(plate));
//       const auto u = instance<double>::external(at(accelerator_memory()), its, box(0, count));
//       const event cleared = fill(u, 0.0);
//       u.destroy(after(cleared));  // the memory stays OpenACC's
//       return cleared;  // make_queue_wait(1, cleared): regions of queue 1 go on behind it
//     }
//
// For programs of ranks, which `stretto c++` compiles and links with regions in C. Events of
// stretto_acc/queue_event.hpp order operations on instances and those of queues.
//
// Threads     any thread of a rank.
// Memory      belongs to OpenACC: the instance must be destroyed before its data leaves the device.
#pragma once

#include <stretto/native_memory.hpp>
#include <stretto/place.hpp>

STRETTO_API_BEGIN

namespace stretto {

/// The memory that regions of the calling rank use: that of its device, or the host's.
///
///   throws   B20 on a thread of no runtime; O17 as openacc.h does, if the rank has no device
place accelerator_memory();

/// Names the memory at an address of the calling rank's accelerator, as acc_deviceptr, acc_malloc and use_device give
/// it. Memory that is not on the device has no name, and instance::external throws N19 for it.
///
///   throws   as accelerator_memory
native_memory native_memory_of(void* device_address);

}  // namespace stretto

STRETTO_API_END
