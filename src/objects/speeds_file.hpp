// speeds_file.hpp - measured speeds kept between runs of programs, in one small text file.
//
// Threads     any; several processes may save at the same time: the last one wins, and no reader sees half a file.
// Cost        of reading or writing a few kilobytes: at the start and the end of a runtime.
#pragma once

#include <filesystem>
#include <string>

#include "objects/speeds.hpp"

namespace stretto::objects {

/// $XDG_CACHE_HOME/stretto/speeds.txt, or ~/.cache/stretto/speeds.txt; empty where neither variable names a folder.
std::filesystem::path default_speeds_file();

/// What was saved there; an empty table if there is no file. An empty table too, and a warning that names file and line, if
/// it cannot be read or understood.
speeds load_speeds(const std::filesystem::path& file, std::string& warning);

/// Makes the folder where it lacks. False, and a warning, if that or the file cannot be written.
bool save_speeds(const speeds& all, const std::filesystem::path& file, std::string& warning);

}  // namespace stretto::objects
