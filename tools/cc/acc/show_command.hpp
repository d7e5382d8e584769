// show_command.hpp - `stretto cc --acc-show`: what the translator reads in a program with directives of OpenACC.
//
// Threads     the main thread.
#pragma once

#include <string>
#include <vector>

namespace stretto::cc::acc {

/// Preprocesses each source by `preprocessor` (a command without its source, whose output goes to standard output), and
/// prints its directives, and errors for those that are wrong.
///
///   returns  0, or 1 if there were errors
///   throws   W60 if the preprocessor cannot be started or fails
int show_directives(const std::vector<std::string>& preprocessor, const std::vector<std::string>& sources);

}  // namespace stretto::cc::acc
