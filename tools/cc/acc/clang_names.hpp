// clang_names.hpp - reads what the names in a source file mean, by libclang.
//
// Threads     one call for each source; libclang is loaded once.
// Cost        libclang reads the whole source file, headers too: about a second for 100,000 lines.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "cc/acc/template_instance.hpp"

namespace stretto::cc::acc {

/// The names in these parts of the source, and the variables of the whole file.
///
///   parts     in increasing order, none inside another
///   standard  of C++, as "-std=c++17"; empty: C++20
///   throws    O07 if there is no libclang, O08 if it cannot read the source
source_names read_names(const preprocessed_text& source, std::span<const text_range> parts, language language,
                        const std::string& standard = {});

/// The same, with the instantiations of templates around these offsets.
all_names read_all_names(const preprocessed_text& source, std::span<const text_range> parts, language language,
                         const std::string& standard, std::span<const std::size_t> directives);

}  // namespace stretto::cc::acc
