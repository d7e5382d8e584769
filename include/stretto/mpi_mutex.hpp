// mpi_mutex.hpp - who calls MPI, where it allows one thread at a time.
//
// Threads     any.
#pragma once

#include <mutex>

namespace stretto {

/// Held round every call of MPI that the runtime makes for the messages of a job. Where MPI was started with MPI_THREAD_SERIALIZED, as it
/// is by a job, a program or a module that calls MPI beside it holds it round its own calls; and never while it waits.
std::mutex& mpi_mutex() noexcept;

}  // namespace stretto
