// shipped_medium.hpp - the path of the medium that is installed with Stretto.
//
// Threads     pure, apart from looking at the file system.
#pragma once

#include <filesystem>

namespace stretto::wave {

/// The shipped picture: beside an installed command (PREFIX/share/stretto/media for PREFIX/bin/stretto), so that an
/// installed copy may be moved, else in the source tree that the command was built from.
///
///   program   the running executable, with its links resolved
///   returns   an existing file, or the place beside the program where one is missing
std::filesystem::path shipped_medium(const std::filesystem::path& program);

/// This process's executable.
std::filesystem::path running_program();

}  // namespace stretto::wave
