// write_access.hpp - whether a file that is written at the end can be: asked at the start, before a long run is lost.
//
// Threads     any.
#pragma once

#include <filesystem>

namespace stretto::base {

/// 0 where the file could be made or overwritten now, else the system's number of the reason. Makes nothing.
int write_access_error(const std::filesystem::path& file);

}  // namespace stretto::base
