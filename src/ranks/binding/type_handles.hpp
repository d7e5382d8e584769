// type_handles.hpp - from handles of datatypes to datatypes, and back.
//
// Threads     any thread of a rank.
// Cost        a comparison; of predefined types a lookup in a table.
// Invariants  a derived datatype has at most one handle: MPI_Type_free of a handle ends what belongs to it alone.
// Errors      call_error: type for handles that name no datatype, and as each function says.
#pragma once

#include <cstdint>

#include "ranks/binding/handles.hpp"
#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

const datatype& object_of(MPI_Datatype handle);

/// A handle with a reference of its own, of a type that a constructor has made.
MPI_Datatype new_handle(datatype_ref type);

/// A predefined type that has no name: MPI_Type_create_f90_real and its neighbours return these. No handle of them is
/// freed.
bool is_unnamed_predefined(const datatype& type);

/// A handle that the program frees if the type is a derived one: it names a copy.
MPI_Datatype handle_for_program(const datatype_ref& type);

/// The type of a handle that describes data; throws unless it is committed.
const datatype& committed(MPI_Datatype handle);

/// type_of_data() where the type is derived, or something may be wrong.
const datatype& type_of_unusual_data(const void* buffer, std::int64_t count, MPI_Datatype handle);
/// The type of `count` elements in memory that a program passes to read or write them.
///
///   throws   call_error: count if it is negative, type, and buffer if there is no memory: the address is null, or
///            MPI_IN_PLACE, and the type does not have absolute addresses
inline const datatype& type_of_data(const void* buffer, std::int64_t count, MPI_Datatype handle) {
  const datatype* const predefined = predefined_type(reinterpret_cast<std::uintptr_t>(handle));
  const bool is_memory = reinterpret_cast<std::intptr_t>(buffer) >= 4096;
  if (predefined && is_memory && count >= 0) [[likely]]
    return *predefined;
  return type_of_unusual_data(buffer, count, handle);
}

}  // namespace stretto::ranks
