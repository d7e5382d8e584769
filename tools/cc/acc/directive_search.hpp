// directive_search.hpp - finds sources with directives of OpenACC ahead of the preprocessor.
//
// Threads     any.
// Cost        reads the source, and the headers that it includes from folders of the program.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stretto::cc::acc {

/// Whether a source in C or C++, by its extension, has directives itself or in its headers. Headers are those next to
/// the file that includes them, and in the folders of the options -I and -iquote; those of the system do not count.
bool has_directives(const std::filesystem::path& source, const std::vector<std::string>& options);

}  // namespace stretto::cc::acc
