// posix_errors.hpp - errors of the operating system as classes of MPI.
//
// Threads     pure.
#pragma once

#include <string>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

/// The class of an errno of a call on a file.
error_class class_of_file_error(int number);

/// `what` says what was done to which file, as `open "data"`.
[[noreturn]] void throw_file_error(int number, const std::string& what);

}  // namespace stretto::ranks
