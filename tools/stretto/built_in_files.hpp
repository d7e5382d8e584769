// built_in_files.hpp - files of the source tree that are part of the command. cmake/built_in_files.cmake writes the
// functions.
#pragma once

#include <span>
#include <string_view>

namespace stretto::tools {

struct built_in_file {
  std::string_view path;  // within its folder
  std::string_view text;  // as it is in the source tree
};

/// The pages of docs/errors, sorted by path: "B12.md" has a title and what it says.
std::span<const built_in_file> error_pages();
/// The files of modules/starter, which `stretto new` copies.
std::span<const built_in_file> starter_module();

}  // namespace stretto::tools
