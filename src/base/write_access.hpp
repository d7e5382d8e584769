// write_access.hpp - checks at the start of a long run whether a file can be written at its end.
//
// Threads     any.
#pragma once

#include <filesystem>

namespace stretto::base {

/// 0 if the file could be made or overwritten now, else the system's error number. Makes no file.
int write_access_error(const std::filesystem::path& file);

}  // namespace stretto::base
