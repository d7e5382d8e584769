// operation_handles.cpp - predefined operations by number, others by address.
#include "ranks/binding/operation_handles.hpp"

namespace stretto::ranks {

const reduction_operation& object_of(MPI_Op handle) {
  if (!is_predefined(handle)) return addressed<const reduction_operation>(handle);
  if (const auto* found = predefined_operation(reinterpret_cast<std::uintptr_t>(handle))) return *found;
  throw call_error(error_class::op,
                   handle == MPI_OP_NULL ? "the operation is MPI_OP_NULL" : "the handle is none of an operation");
}

MPI_Op new_handle(operation_ref operation) {
  return reinterpret_cast<MPI_Op>(const_cast<reduction_operation*>(operation.release()));
}

}  // namespace stretto::ranks
