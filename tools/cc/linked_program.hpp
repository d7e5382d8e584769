// linked_program.hpp - what is done to a program once it is linked.
//
// Threads     one.
#pragma once

#include <filesystem>

#include "cc/installation.hpp"

namespace stretto::cc {

/// Checks the program and its libraries, and names the file that the kernel starts in its place: that of this
/// installation, which may have been moved since it was built. Removes the program and throws R81 or R82 if it is none.
void finish_program(const std::filesystem::path& program, const installation& tree);

}  // namespace stretto::cc
