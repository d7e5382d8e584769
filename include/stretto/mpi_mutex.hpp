// mpi_mutex.hpp - the lock for calls of MPI under MPI_THREAD_SERIALIZED.
//
//     void start_barrier(MPI_Comm all, int (*start)(MPI_Comm)) {  // a nonblocking call, such as MPI_Ibarrier
//       const std::scoped_lock hold(mpi_mutex());
//       start(all);
//     }
//
// Threads     any.
#pragma once

#include <stretto/compiler.hpp>

#include <mutex>

STRETTO_API_BEGIN

namespace stretto {

/// The mutex of this process for calls of MPI. With MPI_THREAD_SERIALIZED, the runtime locks it during each of its
/// calls of MPI. A program or module that calls MPI must then lock it during its own calls. It must not hold it during
/// a call that waits for another node, because that node may wait for a message of this one.
///
/// With MPI_THREAD_MULTIPLE, the runtime does not use it, and any thread may call MPI without it. A runtime that starts
/// MPI requests that level if the program is linked with an MPI (option mpi_threads).
std::mutex& mpi_mutex() noexcept;

}  // namespace stretto

STRETTO_API_END
