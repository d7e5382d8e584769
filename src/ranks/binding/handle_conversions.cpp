// handle_conversions.cpp - MPI functions that turn handles into integers and back, for Fortran and for tools.
#include "ranks/binding/call.hpp"

namespace stretto::ranks {

namespace {

template <class Handle>
int number_of(Handle handle) {
  return current_rank().handles.number_of(reinterpret_cast<void*>(handle));
}

/// `null` for a number that stands for no handle.
template <class Handle>
Handle handle_at(int number, Handle null) {
  void* const handle = current_rank().handles.handle_of(number);
  return handle ? static_cast<Handle>(handle) : null;
}

}  // namespace

}  // namespace stretto::ranks

using namespace stretto::ranks;

/// The four conversions of a kind of handle.
#define STRETTO_HANDLE_CONVERSIONS(kind, type, null)                                \
  int PMPI_##kind##_toint(type handle) { return number_of(handle); }                \
  STRETTO_MPI_NAME(kind##_toint)                                                    \
  type PMPI_##kind##_fromint(int number) { return handle_at<type>(number, null); }  \
  STRETTO_MPI_NAME(kind##_fromint)                                                  \
  MPI_Fint PMPI_##kind##_c2f(type handle) { return number_of(handle); }             \
  STRETTO_MPI_NAME(kind##_c2f)                                                      \
  type PMPI_##kind##_f2c(MPI_Fint number) { return handle_at<type>(number, null); } \
  STRETTO_MPI_NAME(kind##_f2c)

extern "C" {

STRETTO_HANDLE_CONVERSIONS(Comm, MPI_Comm, MPI_COMM_NULL)
STRETTO_HANDLE_CONVERSIONS(Errhandler, MPI_Errhandler, MPI_ERRHANDLER_NULL)
STRETTO_HANDLE_CONVERSIONS(File, MPI_File, MPI_FILE_NULL)
STRETTO_HANDLE_CONVERSIONS(Group, MPI_Group, MPI_GROUP_NULL)
STRETTO_HANDLE_CONVERSIONS(Info, MPI_Info, MPI_INFO_NULL)
STRETTO_HANDLE_CONVERSIONS(Message, MPI_Message, MPI_MESSAGE_NULL)
STRETTO_HANDLE_CONVERSIONS(Op, MPI_Op, MPI_OP_NULL)
STRETTO_HANDLE_CONVERSIONS(Request, MPI_Request, MPI_REQUEST_NULL)
STRETTO_HANDLE_CONVERSIONS(Session, MPI_Session, MPI_SESSION_NULL)
STRETTO_HANDLE_CONVERSIONS(Type, MPI_Datatype, MPI_DATATYPE_NULL)
STRETTO_HANDLE_CONVERSIONS(Win, MPI_Win, MPI_WIN_NULL)

}  // extern "C"
