// installed_folders.hpp - finds files that are installed with the library and needed at run time: its libraries for
// MPI, the driver probe.
//
// Threads     any.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::base {

/// The folders next to the installed libstretto and next to this program, then the build folder. Not all exist.
std::vector<std::string> installed_folders();

/// The file of that name in the first of those folders, or of the folders of this program's run path, that contains it;
/// empty if there is none.
std::filesystem::path installed_file(std::string_view name);

}  // namespace stretto::base
