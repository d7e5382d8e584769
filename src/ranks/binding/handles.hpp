// handles.hpp - from handles of MPI to the objects of a rank, and back.
//
// A handle below 4096 is predefined and names an object of the calling rank; any other is the address of an object.
//
// Threads     any thread of a rank.
// Cost        a comparison.
// Errors      call_error, with the error class of that kind of handle, for a null handle and for a predefined handle of
//             another kind. Addresses are not checked.
#pragma once

#include <cstdint>
#include <string>

#include "ranks/binding/mpi_functions.hpp"
#include "ranks/call_error.hpp"
#include "ranks/communicators/rank_state.hpp"
#include "ranks/files/rank_file.hpp"

namespace stretto::ranks {

template <class Handle>
bool is_predefined(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle) < 4096;
}

/// Whether a handle that is not predefined is one of MPICH: the program was compiled for that library. Its handles are
/// 32-bit numbers, and no object of ours has an address below 4 GiB.
template <class Handle>
bool is_of_other_mpi(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle) >> 32 == 0;
}
/// Prints error R82 and ends the process.
[[noreturn]] void refuse_other_mpi(std::uintptr_t handle);

/// The object of a handle that is not predefined.
template <class Object, class Handle>
Object& addressed(Handle handle) {
  return *reinterpret_cast<Object*>(handle);
}

/// object_of() for all handles but MPI_COMM_WORLD.
communicator& object_of_other(MPI_Comm comm);
inline communicator& object_of(MPI_Comm comm) {
  return comm == MPI_COMM_WORLD ? current_rank().world : object_of_other(comm);
}
/// The predefined handle of MPI_COMM_WORLD and MPI_COMM_SELF, else the address.
MPI_Comm handle_of(communicator& comm);

const group& object_of(MPI_Group group);
/// A new handle that owns the group, until the program frees it; MPI_GROUP_EMPTY for an empty group.
MPI_Group new_handle(group members);

/// The info of MPI_INFO_ENV, or one that the program created.
const info& object_of(MPI_Info hints);
/// An info that the program created: throws for MPI_INFO_ENV, which cannot be changed.
info& changeable(MPI_Info hints);
/// A copy of the info; one without keys for MPI_INFO_NULL.
info copied(MPI_Info hints);
MPI_Info new_handle(info hints);

error_handler_ref object_of(MPI_Errhandler handler);
/// A new handle that owns the reference; the predefined handle of a predefined handler.
MPI_Errhandler new_handle(error_handler_ref handler);

/// A file that is open.
rank_file& object_of(MPI_File file);

/// The variable to which an argument points. Throws call_error(argument) for a null pointer; `name` is the argument's
/// name in the MPI standard.
template <class Value>
Value& required(Value* pointer, const char* name) {
  if (!pointer) throw call_error(error_class::argument, std::string(name) + " is a null pointer");
  return *pointer;
}

/// Copies a text and a zero to a buffer of the program, which MPI requires to be large enough, and sets `length`.
void write_text(const std::string& text, char* target, int* length);

}  // namespace stretto::ranks
