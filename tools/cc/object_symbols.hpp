// object_symbols.hpp - finds objects among a linker's inputs that were compiled for another MPI.
//
// Threads     any.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace stretto::cc {

/// Calls `visit` with each undefined symbol of an object file, or of the members of an archive. Files of another kind,
/// and damaged ones, have none.
void for_each_undefined(std::span<const std::byte> file, const std::function<void(std::string_view)>& visit);

/// Throws R82 if the file is an object, archive or library that needs another MPI.
void check_input(const std::string& file);

}  // namespace stretto::cc
