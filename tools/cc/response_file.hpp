// response_file.hpp - arguments in files, as GCC and Clang read them: @FILE stands for those in FILE.
//
// Threads     any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stretto::cc {

/// The arguments in a text: separated by white space, quoted by ' or ", with \ ahead of any character.
std::vector<std::string> split_text(std::string_view text);

/// The arguments with those of files in place of @FILE. A file that cannot be read stays as it is, as with the
/// compilers.
std::vector<std::string> with_response_files(const std::vector<std::string>& arguments);

}  // namespace stretto::cc
