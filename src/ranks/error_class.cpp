// error_class.cpp - names and texts of the classes.
#include "ranks/error_class.hpp"

#include <array>

namespace stretto::ranks {

namespace {

constexpr std::array texts = std::to_array<std::string_view>({
    "MPI_SUCCESS: no error",
    "MPI_ERR_BUFFER: the address of a buffer is invalid",
    "MPI_ERR_COUNT: a count is negative or too large",
    "MPI_ERR_TYPE: the datatype is invalid here, or was not committed",
    "MPI_ERR_TAG: the tag is negative or above MPI_TAG_UB",
    "MPI_ERR_COMM: the communicator is null or was freed",
    "MPI_ERR_RANK: the communicator has no such rank",
    "MPI_ERR_REQUEST: the request is invalid here",
    "MPI_ERR_ROOT: the root is no rank of the communicator",
    "MPI_ERR_GROUP: the group is null or was freed",
    "MPI_ERR_OP: the operator is invalid, or undefined for the datatype",
    "MPI_ERR_TOPOLOGY: the communicator has no topology, or another one",
    "MPI_ERR_DIMS: a number of dimensions, or the size of one, is invalid",
    "MPI_ERR_ARG: an argument is invalid",
    "MPI_ERR_UNKNOWN: an error of unknown cause",
    "MPI_ERR_TRUNCATE: the message is longer than the receive buffer",
    "MPI_ERR_OTHER: an error without a class of its own",
    "MPI_ERR_INTERN: a fault within the library",
    "MPI_ERR_PENDING: the operation is not complete",
    "MPI_ERR_IN_STATUS: the statuses hold the errors of the requests",
    "MPI_ERR_ACCESS: permission to open the file is denied",
    "MPI_ERR_AMODE: the access mode is invalid, or differs between ranks",
    "MPI_ERR_ASSERT: the assertion is invalid for this call",
    "MPI_ERR_BAD_FILE: the file name is invalid",
    "MPI_ERR_BASE: the base of the memory is invalid",
    "MPI_ERR_CONVERSION: a value cannot be represented in the other format",
    "MPI_ERR_DISP: the displacement is invalid",
    "MPI_ERR_DUP_DATAREP: a data representation of this name exists",
    "MPI_ERR_FILE_EXISTS: the file exists",
    "MPI_ERR_FILE_IN_USE: some rank has the file open",
    "MPI_ERR_FILE: the file handle is null or was closed",
    "MPI_ERR_INFO_KEY: the key is longer than MPI_MAX_INFO_KEY",
    "MPI_ERR_INFO_NOKEY: the info has no such key",
    "MPI_ERR_INFO_VALUE: the value is longer than MPI_MAX_INFO_VAL",
    "MPI_ERR_INFO: the info is null or was freed",
    "MPI_ERR_IO: the operating system reports a failed file operation",
    "MPI_ERR_KEYVAL: the attribute key is unknown, or belongs to objects of another kind",
    "MPI_ERR_LOCKTYPE: the lock type is neither exclusive nor shared",
    "MPI_ERR_NAME: no service was published under this name",
    "MPI_ERR_NO_MEM: memory is exhausted",
    "MPI_ERR_NOT_SAME: the ranks pass different values of an argument that must be the same",
    "MPI_ERR_NO_SPACE: the file system is full",
    "MPI_ERR_NO_SUCH_FILE: the file does not exist",
    "MPI_ERR_PORT: the port name is invalid",
    "MPI_ERR_QUOTA: the quota of the user is exhausted",
    "MPI_ERR_READ_ONLY: the file or its file system can only be read",
    "MPI_ERR_RMA_ATTACH: the memory cannot be attached to the window",
    "MPI_ERR_RMA_CONFLICT: conflicting accesses to a window",
    "MPI_ERR_RMA_RANGE: the access goes beyond the window of the target",
    "MPI_ERR_RMA_SHARED: the ranks of the window cannot share memory",
    "MPI_ERR_RMA_SYNC: the call does not fit the synchronization of the window",
    "MPI_ERR_SERVICE: the service cannot be published under this name",
    "MPI_ERR_SIZE: the size is invalid",
    "MPI_ERR_SPAWN: processes cannot be started",
    "MPI_ERR_UNSUPPORTED_DATAREP: the data representation is unknown",
    "MPI_ERR_UNSUPPORTED_OPERATION: the operation is not supported here",
    "MPI_ERR_WIN: the window is null or was freed",
    "MPI_ERR_RMA_FLAVOR: the window is of another flavor",
    "MPI_ERR_PROC_ABORTED: a process of the communicator ended",
    "MPI_ERR_VALUE_TOO_LARGE: the value does not fit into the argument; use the function for large counts",
    "MPI_ERR_SESSION: the session is null or was finalized",
    "MPI_ERR_ERRHANDLER: the error handler is null or was freed, or belongs to objects of another kind",
    "MPI_ERR_ABI: the call is not part of this version of the ABI",
});

constexpr std::array tool_texts = std::to_array<std::string_view>({
    "MPI_T_ERR_CANNOT_INIT: the interface of tools cannot start",
    "MPI_T_ERR_NOT_ACCESSIBLE: the interface of tools is not accessible now",
    "MPI_T_ERR_NOT_INITIALIZED: the interface of tools was not started",
    "MPI_T_ERR_NOT_SUPPORTED: the interface of tools does not support this",
    "MPI_T_ERR_MEMORY: memory is exhausted",
    "MPI_T_ERR_INVALID: an argument is invalid",
    "MPI_T_ERR_INVALID_INDEX: the index is out of range",
    "MPI_T_ERR_INVALID_ITEM: the item is out of range",
    "MPI_T_ERR_INVALID_SESSION: the session is invalid",
    "MPI_T_ERR_INVALID_HANDLE: the handle is invalid",
    "MPI_T_ERR_INVALID_NAME: the name is unknown",
    "MPI_T_ERR_OUT_OF_HANDLES: no handle is free",
    "MPI_T_ERR_OUT_OF_SESSIONS: no session is free",
    "MPI_T_ERR_CVAR_SET_NOT_NOW: the control variable cannot be set now",
    "MPI_T_ERR_CVAR_SET_NEVER: the control variable can never be set",
    "MPI_T_ERR_PVAR_NO_WRITE: the performance variable cannot be written",
    "MPI_T_ERR_PVAR_NO_STARTSTOP: the performance variable is always running",
    "MPI_T_ERR_PVAR_NO_ATOMIC: the performance variable cannot be read and written at once",
});

static_assert(texts.size() == static_cast<std::size_t>(error_class::abi) + 1);
static_assert(tool_texts.size() == static_cast<std::size_t>(error_class::tool_pvar_no_atomic) - 1000);

}  // namespace

std::string_view text_of(error_class which) {
  const auto number = static_cast<int>(which);
  if (which == error_class::last_code) return "MPI_ERR_LASTCODE: the largest code of MPI's own errors";
  if (number >= 0 && number < std::ssize(texts)) return texts[number];
  const int tool = number - static_cast<int>(error_class::tool_cannot_init);
  if (tool >= 0 && tool < std::ssize(tool_texts)) return tool_texts[tool];
  return {};
}

std::string_view name_of(error_class which) {
  const std::string_view text = text_of(which);
  return text.substr(0, text.find(':'));
}

}  // namespace stretto::ranks
