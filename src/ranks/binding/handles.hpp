// handles.hpp - from handles of MPI to the objects of a rank, and back.
//
// A handle below 4096 is predefined and names an object of the current rank; any other is the address of an object.
//
// Threads     any thread of a rank.
// Cost        a comparison.
// Errors      call_error with the class of the kind of handle, for null handles and those of other kinds.
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

/// No object of ours lies in the first 4 GiB, where numbers are that MPICH has for handles: a program which was
/// compiled for it calls us.
template <class Handle>
bool is_of_other_mpi(Handle handle) {
  return reinterpret_cast<std::uintptr_t>(handle) >> 32 == 0;
}
/// Ends the process with R82.
[[noreturn]] void refuse_other_mpi(std::uintptr_t handle);

/// The object of a handle that is not predefined.
template <class Object, class Handle>
Object& addressed(Handle handle) {
  return *reinterpret_cast<Object*>(handle);
}

/// object_of() for all but MPI_COMM_WORLD.
communicator& object_of_other(MPI_Comm comm);
inline communicator& object_of(MPI_Comm comm) {
  return comm == MPI_COMM_WORLD ? current_rank().world : object_of_other(comm);
}
/// The number of a predefined communicator, else its address.
MPI_Comm handle_of(communicator& comm);

const group& object_of(MPI_Group group);
/// A handle of its own; MPI_GROUP_EMPTY for an empty group.
MPI_Group new_handle(group members);

/// MPI_INFO_ENV, or an info of the program.
const info& object_of(MPI_Info hints);
/// An info of the program: MPI_INFO_ENV cannot be changed.
info& changeable(MPI_Info hints);
/// No keys for MPI_INFO_NULL.
info copied(MPI_Info hints);
MPI_Info new_handle(info hints);

error_handler_ref object_of(MPI_Errhandler handler);
/// A handle with a reference of its own; predefined handlers have their numbers.
MPI_Errhandler new_handle(error_handler_ref handler);

/// A file that is open.
rank_file& object_of(MPI_File file);

/// Arguments of functions, by their names in the standard.
template <class Value>
Value& required(Value* pointer, const char* name) {
  if (!pointer) throw call_error(error_class::argument, std::string(name) + " is a null pointer");
  return *pointer;
}

/// Writes a text and its length for a program, which has place for it and a zero.
void write_text(const std::string& text, char* target, int* length);

}  // namespace stretto::ranks
