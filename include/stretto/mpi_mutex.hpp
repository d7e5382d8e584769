// mpi_mutex.hpp - who calls MPI, where it allows one thread at a time.
//
// Threads     any.
#pragma once

#include <stretto/compiler.hpp>

#include <mutex>

STRETTO_API_BEGIN

namespace stretto {

/// With MPI_THREAD_SERIALIZED the runtime holds it round every call of MPI that it makes for the messages of a job. A
/// program or a module that calls MPI then holds it round its own calls, and never round one that waits for another
/// node: that node may wait for a message of this one.
///
/// With MPI_THREAD_MULTIPLE the runtime does not use it. Any thread may call MPI, blocking calls included, with this
/// mutex or without. A runtime that starts MPI asks for that level where the program is linked with an MPI (option
/// mpi_threads).
std::mutex& mpi_mutex() noexcept;

}  // namespace stretto

STRETTO_API_END
