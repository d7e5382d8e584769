// compiler_query.hpp - options by which build systems ask a wrapper for the options that it adds.
//
// Threads     one: reads the environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cc/installation.hpp"
#include "cc/language.hpp"

namespace stretto::cc {

/// The text that answers -show, -compile_info, -link_info or a form of --showme; none if the arguments have no such
/// option.
///   command  the whole command line that the other arguments lead to
std::optional<std::string> reply_to_query(language language, const installation& tree,
                                          const std::vector<std::string>& arguments,
                                          const std::vector<std::string>& command);

/// Whether the argument is such an option.
bool is_query(const std::string& argument);

}  // namespace stretto::cc
