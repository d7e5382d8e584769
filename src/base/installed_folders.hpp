// installed_folders.hpp - where files lie that are installed with the library and found at run time: libraries for
// MPIs, the driver probe.
//
// Threads     any.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::base {

/// Next to libstretto or this program as they are installed, then where they were built. Not all of them exist.
std::vector<std::string> installed_folders();

/// The file of that name in the first of those folders, or of the folders of this program's run path, that has it;
/// empty: none has.
std::filesystem::path installed_file(std::string_view name);

}  // namespace stretto::base
