// file_errors.hpp - errors about files of buffers.
#pragma once

#include <stretto/error.hpp>

#include <filesystem>
#include <string>

#include "files/atomic_replacement.hpp"

namespace stretto::buffers {

/// F01; `number` is an errno.
error file_cannot_be_written(const std::filesystem::path& what, int number);
/// F04
error file_is_damaged(const std::filesystem::path& file, const std::string& expected, const std::string& found);
/// F02
error file_cannot_be_read(const std::filesystem::path& file, const std::string& why);

inline constexpr files::file_errors buffer_file_errors{file_cannot_be_written, file_is_damaged};

/// Throws F01 if an array would replace something of another kind there. `by_folder`: the array is a folder.
void refuse_to_replace(const std::filesystem::path& to, bool by_folder);

}  // namespace stretto::buffers
