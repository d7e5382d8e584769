// speeds_file.hpp - a small text file that keeps measured speeds between runs.
//
// Threads     any. Several processes may save at the same time: the last one wins, and no reader sees half a file.
// Cost        reads or writes a few kilobytes, at the start and the end of a runtime.
#pragma once

#include <filesystem>
#include <string>

#include "objects/speeds.hpp"

namespace stretto::objects {

/// $XDG_CACHE_HOME/stretto/speeds.txt, or ~/.cache/stretto/speeds.txt; empty if neither variable names a folder.
std::filesystem::path default_speeds_file();

/// The saved table; an empty one if there is no file. If the file cannot be read or parsed, an empty table and a
/// warning that names file and line.
speeds load_speeds(const std::filesystem::path& file, std::string& warning);

/// Creates the folder if it does not exist. Returns false, with a warning, if the folder or the file cannot be written.
bool save_speeds(const speeds& all, const std::filesystem::path& file, std::string& warning);

}  // namespace stretto::objects
