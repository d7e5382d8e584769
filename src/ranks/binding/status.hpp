// status.hpp - between the results of operations and MPI_Status of programs.
//
// MPI_internal holds whether the operation was cancelled, and the bytes of data.
//
// Threads     pure.
#pragma once

#include <cstdint>

#include "ranks/binding/mpi_functions.hpp"
#include "ranks/messages/request.hpp"

namespace stretto::ranks {

/// Writes all but MPI_ERROR, as calls do that complete one operation. Does nothing for MPI_STATUS_IGNORE.
void write_status(MPI_Status* to, const message_status& from);

/// Writes all, as calls do that complete several operations and one of them failed.
void write_status_with_error(MPI_Status* to, const message_status& from);

/// Reads what a function of the program has written, for requests that programs complete.
message_status read_status(const MPI_Status& from);

std::int64_t bytes_of(const MPI_Status& status);
void set_bytes(MPI_Status& status, std::int64_t bytes);
bool is_cancelled(const MPI_Status& status);
void set_cancelled(MPI_Status& status, bool is_cancelled);

}  // namespace stretto::ranks
