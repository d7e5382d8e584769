// guarded_call.hpp - calls of programs in C, which have no handlers of exceptions: an error ends the job.
//
// Threads     tasks and threads of a rank.
#pragma once

#include <stretto/error.hpp>
#include <string>

namespace stretto::acc {

/// Ends the job with a message, as a fatal error of MPI does. To be called in a handler: outside of ranks it throws
/// again.
[[noreturn]] void end_job_with(const std::string& message);

template <class Body>
decltype(auto) guarded(Body body) {
  try {
    return body();
  } catch (const error& e) {
    end_job_with(e.what());
  }
}

}  // namespace stretto::acc
