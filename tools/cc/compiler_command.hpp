// compiler_command.hpp - `stretto cc` and `stretto c++`: the system's compiler, with what programs of ranks need.
//
// Threads     the main thread.
#pragma once

#include <string>
#include <vector>

#include "cc/language.hpp"

namespace stretto::cc {

/// Compiles and links as the compiler of STRETTO_CC (STRETTO_CXX), else cc (c++), does with these arguments. With
/// --acc-show it prints the directives of OpenACC in the sources, and compiles nothing.
///   returns  the compiler's exit code; with --acc-show, 1 if directives are wrong
///   throws   W60 if the compiler cannot be started, W61 for an option that programs of ranks cannot have, W62 if
///            parts of the installation are missing, R82 if an object was compiled for another MPI
int compile(language language, const std::vector<std::string>& arguments);

}  // namespace stretto::cc
