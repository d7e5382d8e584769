// start_call.hpp - MPI's own function for each kind of call.
#pragma once

#include <stretto_mpi/call.hpp>

namespace stretto::mpi {

/// Returns the error code of MPI. Calls without an immediate form in MPI have ended on return: their request is null.
int start_call(const detail::call& c, MPI_Request* request);

/// Errors of this communicator are returned from now on, unless the program has a handler of its own there. True if
/// that is new.
bool return_errors(MPI_Comm comm);

}  // namespace stretto::mpi
