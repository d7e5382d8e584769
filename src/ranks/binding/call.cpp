// call.cpp - from exceptions to error handlers.
#include "ranks/binding/call.hpp"

#include "ranks/communicators/session.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <stretto/error.hpp>
#include <string>

#include "base/code_location.hpp"
#include "ranks/binding/call_texts.hpp"
#include "ranks/binding/window_handles.hpp"
#include "ranks/communicators/session.hpp"

namespace stretto::ranks {

namespace {

struct failure {
  int code = 0;
  std::string cause;
};

/// The exception that is being handled.
failure current_failure() {
  try {
    throw;
  } catch (const call_error& error) {
    return {static_cast<int>(error.which()), error.what()};
  } catch (const std::bad_alloc&) {
    return {static_cast<int>(error_class::no_memory), "the process has no more memory"};
  } catch (const std::exception& error) {
    return {static_cast<int>(error_class::internal), error.what()};
  } catch (...) {
    return {static_cast<int>(error_class::internal), "an exception of an unknown type was thrown"};
  }
}

/// A code that a function of the program returned may be none that MPI knows.
std::string text_of_code(const rank_state& state, int code) {
  try {
    return state.codes.text_of(code);
  } catch (const call_error&) {
    return "error code " + std::to_string(code);
  }
}

/// `setter` sets the handler of an object of the kind that failed.
std::string message_of(rank_state& state, const char* name, const failure& failed, const std::string& setter) {
  const std::string line = base::location_of_call(return_address_of(*innermost_call));
  return error("R90", std::string(name) + " failed in rank " + std::to_string(state.world.rank()))
             .fact("call", text_of(*innermost_call, state) + (line.empty() ? line : " at " + line))
             .fact("class", text_of_code(state, failed.code))
             .because(failed.cause)
             .remedy(setter + " with MPI_ERRORS_RETURN gives the error as the function's result")
             .what() +
         std::string("\n");
}

/// The function that sets the error handler of such an object.
const char* setter_for(failed_object object) {
  if (!is_predefined(object.session)) return "MPI_Session_set_errhandler";
  return is_predefined(object.win) ? "MPI_Comm_set_errhandler" : "MPI_Win_set_errhandler";
}

concerned_object concerned(rank_state& state, failed_object object) {
  if (!is_predefined(object.session)) return {addressed<session>(object.session).handler, object.session, state.world};
  if (!is_predefined(object.win)) {
    rank_window& of = object_of(object.win);
    return {of.handler(), object.win, of.comm()};
  }
  const bool is_valid = !is_predefined(object.comm) || object.comm == MPI_COMM_WORLD || object.comm == MPI_COMM_SELF;
  communicator& of = is_valid ? object_of(object.comm) : default_communicator(state);
  return {of.handler(), handle_of(of), of};
}

/// The message costs more than a call: only a fatal handler needs it.
int react(const concerned_object& of, rank_state& state, const char* name, const failure& failed, const char* setter) {
  const error_reaction how = of.handler->reaction();
  const bool is_fatal = how != error_reaction::return_code && how != error_reaction::call_function;
  return react(of, failed.code, is_fatal ? message_of(state, name, failed, setter) : std::string());
}

}  // namespace

void require_session(const rank_state& state) {
  if (state.sessions.load(std::memory_order_relaxed) > 0) return;
  const bool is_early = state.phase.load(std::memory_order_relaxed) == rank_phase::starting;
  throw call_error(error_class::other, is_early ? "MPI_Init was not called before" : "MPI_Finalize was called before");
}

int react(const concerned_object& of, int code, const std::string& message) {
  if (of.handler->reaction() == error_reaction::return_code) return code;
  if (of.handler->reaction() == error_reaction::call_function) return of.handler->call(of.handle, code);
  rank_state& state = current_rank();
  if (!state.end) {
    std::fputs(message.c_str(), stderr);
    std::abort();
  }
  state.end({of.handler->reaction(), &of.ranks, code, message});
  return code;
}

int handle_failure(const char* name, failed_object object) noexcept {
  const failure failed = current_failure();
  rank_state& state = current_rank();
  const concerned_object of = concerned(state, object);  // a function of the program may set another handler
  return react(of, state, name, failed, setter_for(object));
}

int handle_failure(const char* name, failed_file object) noexcept {
  const failure failed = current_failure();
  rank_state& state = current_rank();
  rank_file* const file = is_predefined(object.file) ? nullptr : &object_of(object.file);
  const concerned_object of{file ? file->handler : state.file_handler, object.file, file ? *file->comm : state.world};
  return react(of, state, name, failed, "MPI_File_set_errhandler");
}

}  // namespace stretto::ranks
