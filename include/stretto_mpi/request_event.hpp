// request_event.hpp - events of MPI requests: what a message brings can start tasks, launches and copies.
//
//     void exchange(std::vector<double>& edge, int from, int to, event computed) {
//       MPI_Request request;
//       MPI_Irecv(edge.data(), int(edge.size()), MPI_DOUBLE, from, 7, MPI_COMM_WORLD, &request);
//       auto relaxed = async(after(event_of(request)), [&] { relax(edge); });
//       auto sent = async(after(computed), [=] { MPI_Send(&last_value, 1, MPI_DOUBLE, to, 8, MPI_COMM_WORLD); });
//       when_all(relaxed, sent).get();  // this rank waits, its worker runs other ranks
//       MPI_Wait(&request, MPI_STATUS_IGNORE);
//     }
//
// For programs of ranks, which `stretto c++` compiles. A task that a rank spawns belongs to that rank and may call MPI.
// So after(...) can start a send.
//
// Threads     any thread of a rank.
// Cost        an event slot, unless the operation has ended.
#pragma once

#include "mpi.h"

#include <stretto/event.hpp>

#include <source_location>

STRETTO_API_BEGIN

namespace stretto {

/// An event that triggers when the operation of the request has ended, also if it fails: MPI_Wait returns the error.
/// The program still frees the request, by MPI_Wait, MPI_Test or MPI_Request_free, also before the event triggers. For
/// MPI_REQUEST_NULL and a request that is not active the event has triggered. Throws B20 on a thread of no runtime, and
/// std::runtime_error for a handle that is none of a request.
event event_of(MPI_Request request, std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
