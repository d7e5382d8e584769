// error_handler.hpp - what follows an erroneous call, as MPI_Errhandler says.
//
// Threads     immutable and shared by counted references.
// Invariants  the predefined handlers live as long as the process, for handles that are numbers name them.
#pragma once

#include <functional>
#include <utility>

#include "ranks/counted_ref.hpp"

namespace stretto::ranks {

enum class error_reaction {
  fatal,         // MPI_ERRORS_ARE_FATAL: ends the job
  abort,         // MPI_ERRORS_ABORT: ends the ranks of the communicator
  return_code,   // MPI_ERRORS_RETURN
  call_function  // of the program; the call returns the code that the function leaves
};

/// Kinds of objects that have error handlers.
enum class error_owner { any, communicator, window, file, session };

/// A function of the program; it may change the code. `object` is the handle of the object concerned.
using error_function = std::function<void(void* object, int& code)>;

class error_handler : public counted {
 public:
  /// A predefined one, for objects of any kind.
  explicit error_handler(error_reaction reaction) : reaction_(reaction) {}
  error_handler(error_owner owner, error_function function)
      : reaction_(error_reaction::call_function), owner_(owner), function_(std::move(function)) {}

  error_reaction reaction() const { return reaction_; }
  error_owner owner() const { return owner_; }
  bool is_predefined() const { return reaction_ != error_reaction::call_function; }
  /// Whether objects of this kind may have it.
  bool fits(error_owner kind) const { return owner_ == error_owner::any || owner_ == kind; }
  /// Calls the program's function and returns the code that it leaves.
  int call(void* object, int code) const {
    function_(object, code);
    return code;
  }

 private:
  error_reaction reaction_;
  error_owner owner_ = error_owner::any;
  error_function function_;
};

using error_handler_ref = counted_ref<const error_handler>;

/// The predefined handler with this reaction, which is not call_function.
error_handler_ref predefined_handler(error_reaction reaction);

}  // namespace stretto::ranks
