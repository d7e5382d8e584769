// file_access.hpp - the ways to read and write a file: at which position, alone or with others, at once or in two
// calls.
//
// Threads     those of the calling rank.
// Errors      call_error: file, access, read_only, unsupported_operation, count, type, buffer, argument, io, and what
//             the access itself reports. A rank with a wrong argument takes part in a collective access without data.
#pragma once

#include <cstdint>

#include "ranks/binding/arguments.hpp"
#include "ranks/binding/call.hpp"
#include "ranks/files/file_hints.hpp"
#include "ranks/files/rank_file.hpp"

namespace stretto::ranks {

/// File and buffer of a call.
struct file_buffer {
  MPI_File file;
  const void* memory;
  std::int64_t count;
  MPI_Datatype type;
};

enum class file_pointer : std::uint8_t { given, own, shared };

/// Where an access begins, and whether all ranks of the file take part.
struct file_position {
  file_pointer pointer = file_pointer::own;
  bool is_collective = false;
  std::int64_t offset = 0;  // of file_pointer::given, in etypes
};

inline file_position at(std::int64_t offset) { return {file_pointer::given, false, offset}; }
inline file_position at_all(std::int64_t offset) { return {file_pointer::given, true, offset}; }
inline constexpr file_position at_own{file_pointer::own, false, 0};
inline constexpr file_position at_own_all{file_pointer::own, true, 0};
inline constexpr file_position at_shared{file_pointer::shared, false, 0};
/// One rank after another, in their order.
inline constexpr file_position in_order{file_pointer::shared, true, 0};

int access_file(const char* name, file_direction direction, const file_position& where, const file_buffer& buffer,
                MPI_Status* status);
int begin_file_access(const char* name, file_direction direction, const file_position& where, const file_buffer& buffer,
                      MPI_Request* request);
/// `name` is that of the blocking function.
int begin_split_access(const char* name, file_direction direction, const file_position& where,
                       const file_buffer& buffer);
int end_split_access(const char* name, MPI_File file, MPI_Status* status);

/// For what a collective call on a file exchanges.
inline std::unique_ptr<creation_exchange> exchange_of(rank_file& file) {
  return current_rank().exchanges->over(*file.comm);
}

}  // namespace stretto::ranks
