// status.cpp - the fields of MPI_Status, the library's among them.
#include "ranks/binding/status.hpp"

#include <cstring>

namespace stretto::ranks {

namespace {

// Places in MPI_internal. The bytes take two of them, and a status is aligned only as an int is.
constexpr int cancelled_place = 0;
constexpr int bytes_place = 1;

}  // namespace

void write_status(MPI_Status* to, const message_status& from) {
  if (to == MPI_STATUS_IGNORE) return;
  to->MPI_SOURCE = from.source;
  to->MPI_TAG = from.tag;
  set_bytes(*to, from.bytes);
  set_cancelled(*to, from.is_cancelled);
}

void write_status_with_error(MPI_Status* to, const message_status& from) {
  if (to == MPI_STATUS_IGNORE) return;
  write_status(to, from);
  to->MPI_ERROR = static_cast<int>(from.error);
}

message_status read_status(const MPI_Status& from) {
  message_status status;
  status.source = from.MPI_SOURCE;
  status.tag = from.MPI_TAG;
  status.error = static_cast<error_class>(from.MPI_ERROR);
  status.is_cancelled = is_cancelled(from);
  status.bytes = status.message_bytes = bytes_of(from);
  return status;
}

std::int64_t bytes_of(const MPI_Status& status) {
  std::int64_t bytes;
  std::memcpy(&bytes, &status.MPI_internal[bytes_place], sizeof bytes);
  return bytes;
}

void set_bytes(MPI_Status& status, std::int64_t bytes) {
  std::memcpy(&status.MPI_internal[bytes_place], &bytes, sizeof bytes);
}

bool is_cancelled(const MPI_Status& status) { return status.MPI_internal[cancelled_place] != 0; }

void set_cancelled(MPI_Status& status, bool is_cancelled) { status.MPI_internal[cancelled_place] = is_cancelled; }

}  // namespace stretto::ranks
