// queue_event.hpp - events of OpenACC queues: kernels and messages of `async` start tasks, and wait for them.
//
//     void relax_and_report(double* plate, int rows, event border) {
//       make_queue_wait(1, border);                           // what queue 1 gets from now on runs behind `border`
//       relax(plate, rows);                                   // in C: #pragma acc parallel loop async(1)
//       async(after(event_of_queue(1)), [=] { report(plate); });
//     }
//
// For programs of ranks, which `stretto c++` compiles and links with regions in C.
//
// Threads     any thread of a rank.
// Cost        an event slot.
#pragma once

#include <stretto/event.hpp>

#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

/// An event that triggers when all operations have ended that the queue of the calling rank has now. It is poisoned
/// with the failure of one that fails.
///
///   queue    as in async(queue): a number, acc_async_noval or acc_async_default; for acc_async_sync the event has
///            triggered
///   throws   B20 on a thread of no runtime; O17 as openacc.h does, if the rank has no device
event event_of_queue(int queue, std::source_location where = std::source_location::current());

/// Operations that the queue gets from now on start behind the event. If the event is poisoned, they do not run, and
/// waits for the queue throw its failure. Queues of asynchronous operations only: acc_async_sync waits here.
///
///   throws   as event_of_queue
void make_queue_wait(int queue, event until, std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
