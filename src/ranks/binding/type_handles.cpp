// type_handles.cpp - checks of datatypes and of the memory that they describe.
#include "ranks/binding/type_handles.hpp"

#include <string>

#include "ranks/collectives/reduction_operation.hpp"
#include "ranks/datatypes/type_constructors.hpp"

namespace stretto::ranks {

const datatype& object_of(MPI_Datatype handle) {
  if (!is_predefined(handle)) {
    if (is_of_other_mpi(handle)) [[unlikely]]
      refuse_other_mpi(reinterpret_cast<std::uintptr_t>(handle));
    return addressed<const datatype>(handle);
  }
  if (const datatype* found = predefined_type(reinterpret_cast<std::uintptr_t>(handle))) return *found;
  throw call_error(error_class::type, handle == MPI_DATATYPE_NULL ? "the datatype is MPI_DATATYPE_NULL"
                                                                  : "the handle is none of a datatype");
}

MPI_Datatype new_handle(datatype_ref type) {
  return reinterpret_cast<MPI_Datatype>(const_cast<datatype*>(type.release()));
}

bool is_unnamed_predefined(const datatype& type) {
  const type_constructor made_by = type.arguments().constructor;
  return made_by == type_constructor::f90_real || made_by == type_constructor::f90_complex ||
         made_by == type_constructor::f90_integer;
}

MPI_Datatype handle_for_program(const datatype_ref& type) {
  if (type->is_predefined() || is_unnamed_predefined(*type)) return handle_of(*type);
  return new_handle(make_copy(*type));
}

const datatype& committed(MPI_Datatype handle) {
  const datatype& type = object_of(handle);
  if (!type.is_committed()) throw call_error(error_class::type, "the datatype is not committed");
  return type;
}

const datatype& type_of_unusual_data(const void* buffer, std::int64_t count, MPI_Datatype handle) {
  if (count < 0) throw call_error(error_class::count, "count is " + std::to_string(count));
  const datatype& type = committed(handle);
  if (count == 0 || type.size() == 0) return type;
  // Addresses of the first page are those of no memory, and MPI_BOTTOM is 0.
  const bool is_memory = reinterpret_cast<std::intptr_t>(buffer) + type.bounds().true_lb >= 4096;
  if (is_memory) return type;
  throw call_error(error_class::buffer,
                   buffer == MPI_IN_PLACE ? "MPI_IN_PLACE is not allowed here" : "the buffer is a null pointer");
}

}  // namespace stretto::ranks
