// operation_handles.hpp - from handles of operations to operations, and back.
//
// Threads     any thread of a rank.
// Cost        a comparison; of predefined operations a lookup in a table.
// Errors      call_error(op).
#pragma once

#include "ranks/binding/handles.hpp"
#include "ranks/collectives/reduction_operation.hpp"

namespace stretto::ranks {

const reduction_operation& object_of(MPI_Op handle);

/// A handle with a reference of its own, of an operation of the program.
MPI_Op new_handle(operation_ref operation);

}  // namespace stretto::ranks
