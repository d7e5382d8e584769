// session_handles.hpp - from handles of sessions to objects.
//
// Threads     any thread of a rank.
// Errors      call_error(session) for null and other handles.
#pragma once

#include "ranks/binding/call.hpp"
#include "ranks/communicators/session.hpp"

namespace stretto::ranks {

inline session& object_of(MPI_Session handle) {
  if (!is_predefined(handle)) return addressed<session>(handle);
  throw call_error(error_class::session,
                   handle == MPI_SESSION_NULL ? "the session is MPI_SESSION_NULL" : "the handle is none of a session");
}

}  // namespace stretto::ranks
