// file_accesses.cpp - the functions that read and write files: each with `int` counts and with large ones.
#include "ranks/binding/file_access.hpp"

using namespace stretto::ranks;

// The buffers of the two directions, and the arguments that all functions have.
#define STRETTO_READ_BUFFER void*
#define STRETTO_WRITE_BUFFER const void*
#define STRETTO_ACCESS(N, BUFFER) MPI_File fh, BUFFER buf, N count, MPI_Datatype datatype
#define STRETTO_ACCESS_AT(N, BUFFER) MPI_File fh, MPI_Offset offset, BUFFER buf, N count, MPI_Datatype datatype
#define STRETTO_FILE_BUFFER \
  file_buffer { fh, buf, count, datatype }

/// The two functions of one name. ARGUMENTS is one of the macros above.
#define STRETTO_BLOCKING(Name, direction, where, ARGUMENTS, BUFFER)                                            \
  int PMPI_File_##Name(ARGUMENTS(int, BUFFER), MPI_Status* status) {                                           \
    return access_file("MPI_File_" #Name, file_direction::direction, where, STRETTO_FILE_BUFFER, status);      \
  }                                                                                                            \
  STRETTO_MPI_NAME(File_##Name)                                                                                \
  int PMPI_File_##Name##_c(ARGUMENTS(MPI_Count, BUFFER), MPI_Status* status) {                                 \
    return access_file("MPI_File_" #Name "_c", file_direction::direction, where, STRETTO_FILE_BUFFER, status); \
  }                                                                                                            \
  STRETTO_MPI_NAME(File_##Name##_c)

#define STRETTO_NONBLOCKING(Name, direction, where, ARGUMENTS, BUFFER)                                                \
  int PMPI_File_##Name(ARGUMENTS(int, BUFFER), MPI_Request* request) {                                                \
    return begin_file_access("MPI_File_" #Name, file_direction::direction, where, STRETTO_FILE_BUFFER, request);      \
  }                                                                                                                   \
  STRETTO_MPI_NAME(File_##Name)                                                                                       \
  int PMPI_File_##Name##_c(ARGUMENTS(MPI_Count, BUFFER), MPI_Request* request) {                                      \
    return begin_file_access("MPI_File_" #Name "_c", file_direction::direction, where, STRETTO_FILE_BUFFER, request); \
  }                                                                                                                   \
  STRETTO_MPI_NAME(File_##Name##_c)

#define STRETTO_SPLIT(Name, direction, where, ARGUMENTS, BUFFER)                                         \
  int PMPI_File_##Name##_begin(ARGUMENTS(int, BUFFER)) {                                                 \
    return begin_split_access("MPI_File_" #Name, file_direction::direction, where, STRETTO_FILE_BUFFER); \
  }                                                                                                      \
  STRETTO_MPI_NAME(File_##Name##_begin)                                                                  \
  int PMPI_File_##Name##_begin_c(ARGUMENTS(MPI_Count, BUFFER)) {                                         \
    return begin_split_access("MPI_File_" #Name, file_direction::direction, where, STRETTO_FILE_BUFFER); \
  }                                                                                                      \
  STRETTO_MPI_NAME(File_##Name##_begin_c)                                                                \
  int PMPI_File_##Name##_end(MPI_File fh, BUFFER, MPI_Status* status) {                                  \
    return end_split_access("MPI_File_" #Name, fh, status);                                              \
  }                                                                                                      \
  STRETTO_MPI_NAME(File_##Name##_end)

/// All functions of a direction.
#define STRETTO_DIRECTION(name, direction, BUFFER)                                            \
  STRETTO_BLOCKING(name##_at, direction, at(offset), STRETTO_ACCESS_AT, BUFFER)               \
  STRETTO_BLOCKING(name##_at_all, direction, at_all(offset), STRETTO_ACCESS_AT, BUFFER)       \
  STRETTO_NONBLOCKING(i##name##_at, direction, at(offset), STRETTO_ACCESS_AT, BUFFER)         \
  STRETTO_NONBLOCKING(i##name##_at_all, direction, at_all(offset), STRETTO_ACCESS_AT, BUFFER) \
  STRETTO_SPLIT(name##_at_all, direction, at_all(offset), STRETTO_ACCESS_AT, BUFFER)          \
  STRETTO_BLOCKING(name, direction, at_own, STRETTO_ACCESS, BUFFER)                           \
  STRETTO_BLOCKING(name##_all, direction, at_own_all, STRETTO_ACCESS, BUFFER)                 \
  STRETTO_NONBLOCKING(i##name, direction, at_own, STRETTO_ACCESS, BUFFER)                     \
  STRETTO_NONBLOCKING(i##name##_all, direction, at_own_all, STRETTO_ACCESS, BUFFER)           \
  STRETTO_SPLIT(name##_all, direction, at_own_all, STRETTO_ACCESS, BUFFER)                    \
  STRETTO_BLOCKING(name##_shared, direction, at_shared, STRETTO_ACCESS, BUFFER)               \
  STRETTO_BLOCKING(name##_ordered, direction, in_order, STRETTO_ACCESS, BUFFER)               \
  STRETTO_NONBLOCKING(i##name##_shared, direction, at_shared, STRETTO_ACCESS, BUFFER)         \
  STRETTO_SPLIT(name##_ordered, direction, in_order, STRETTO_ACCESS, BUFFER)

extern "C" {

STRETTO_DIRECTION(read, read, STRETTO_READ_BUFFER)
STRETTO_DIRECTION(write, write, STRETTO_WRITE_BUFFER)

}  // extern "C"
