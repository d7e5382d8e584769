// error_class.hpp - the classes of errors that calls of MPI return, and a sentence for each.
//
// Threads     pure.
#pragma once

#include <string_view>

namespace stretto::ranks {

/// The numbers are those of the ABI of MPI 5.0. Programs may add classes above `last_code`.
enum class error_class : int {
  success = 0,
  buffer,
  count,
  type,
  tag,
  comm,
  rank,
  request,
  root,
  group,
  op,
  topology,
  dims,
  argument,
  unknown,
  truncate,
  other,
  internal,
  pending,
  in_status,
  access,
  amode,
  assertion,
  bad_file,
  base,
  conversion,
  displacement,
  duplicate_datarep,
  file_exists,
  file_in_use,
  file,
  info_key,
  info_nokey,
  info_value,
  info,
  io,
  keyval,
  locktype,
  name,
  no_memory,
  not_same,
  no_space,
  no_such_file,
  port,
  quota,
  read_only,
  rma_attach,
  rma_conflict,
  rma_range,
  rma_shared,
  rma_sync,
  service,
  size,
  spawn,
  unsupported_datarep,
  unsupported_operation,
  window,
  rma_flavor,
  process_aborted,
  value_too_large,
  session,
  errhandler,
  abi = 62,
  tool_cannot_init = 1001,
  tool_not_accessible,
  tool_not_initialized,
  tool_not_supported,
  tool_memory,
  tool_invalid,
  tool_invalid_index,
  tool_invalid_item,
  tool_invalid_session,
  tool_invalid_handle,
  tool_invalid_name,
  tool_out_of_handles,
  tool_out_of_sessions,
  tool_cvar_set_not_now,
  tool_cvar_set_never,
  tool_pvar_no_write,
  tool_pvar_no_startstop,
  tool_pvar_no_atomic = 1018,
  last_code = 16383
};

/// MPI's name of the class, as "MPI_ERR_TRUNCATE"; empty for a number that is no class of MPI.
std::string_view name_of(error_class which);

/// One sentence for users, without a full stop, that begins with the class's name; empty for a number that is no class.
std::string_view text_of(error_class which);

}  // namespace stretto::ranks
