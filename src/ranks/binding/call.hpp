// call.hpp - runs the body of a function of MPI and hands what it throws to the error handler in force.
//
// Threads     any thread of a rank.
// Errors      call_error's class is the result; memory that is exhausted gives MPI_ERR_NO_MEM, and any other exception
//             MPI_ERR_INTERN.
#pragma once

#include "base/kept_errno.hpp"
#include "ranks/binding/handles.hpp"
#include "ranks/process/call_record.hpp"

namespace stretto::ranks {

/// Of which object the error handler is called. The null handle: of default_communicator().
struct failed_object {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Session session = MPI_SESSION_NULL;
};

/// The same for functions on files. The null handle: of files that are not open, MPI_FILE_NULL.
struct failed_file {
  MPI_File file = MPI_FILE_NULL;
};

/// Throws call_error(other) unless there is a session: MPI_Init was not called, or MPI_Finalize was.
void require_session(const rank_state& state);

/// Throws call_error(other) before MPI_Init and after MPI_Finalize, unless there is a session.
inline void check_is_running() {
  const rank_state& state = current_rank();
  if (state.phase.load(std::memory_order_relaxed) != rank_phase::running) [[unlikely]]
    require_session(state);
}

/// Calls the error handler for the exception that is being handled, in the function `name`; returns its code.
int handle_failure(const char* name, failed_object object) noexcept;
int handle_failure(const char* name, failed_file object) noexcept;

/// The object whose error handler is called: its handle, and the communicator of its ranks.
struct concerned_object {
  error_handler_ref handler;
  void* handle;
  communicator& ranks;
};

/// Does what a handler says about an error code; returns the code that the function returns. `message` is for the user
/// if ranks end.
int react(const concerned_object& of, int code, const std::string& message);

/// For functions that MPI allows at any time. The program's errno stays as it is, whatever system calls the body makes
/// and whatever functions of the program it calls. `details` are for reports, of functions that may wait.
template <class Object, class Body>
int call_at_any_time(const char* name, Object object, const call_details& details, Body body) noexcept {
  const call_scope record(name, details);
  try {
    const base::kept_errno kept;
    body();
    return MPI_SUCCESS;
  } catch (...) {
    return handle_failure(name, object);
  }
}

template <class Body>
int call_at_any_time(const char* name, Body body) noexcept {
  return call_at_any_time(name, failed_object{}, call_details{}, body);
}

template <class Object, class Body>
int call_on(const char* name, Object object, const call_details& details, Body body) noexcept {
  return call_at_any_time(name, object, details, [&] {
    check_is_running();
    body();
  });
}

/// For functions with a session.
template <class Body>
int call_in_session(const char* name, MPI_Session session, Body body) noexcept {
  return call_at_any_time(name, failed_object{.session = session}, call_details{}, body);
}

template <class Body>
int call(const char* name, failed_object object, Body body) noexcept {
  return call_on(name, object, call_details{}, body);
}

/// For functions with a communicator, whose error handler is called; of an invalid one that of default_communicator().
template <class Body>
int call(const char* name, MPI_Comm comm, const call_details& details, Body body) noexcept {
  return call_on(name, failed_object{comm}, details, body);
}

template <class Body>
int call(const char* name, MPI_Comm comm, Body body) noexcept {
  return call_on(name, failed_object{comm}, call_details{}, body);
}

/// For functions on a file.
template <class Body>
int call(const char* name, MPI_File file, Body body) noexcept {
  return call_on(name, failed_file{file}, call_details{}, body);
}

template <class Body>
int call(const char* name, Body body) noexcept {
  return call_on(name, failed_object{}, call_details{}, body);
}

}  // namespace stretto::ranks
