// translation.hpp - a source with directives of OpenACC as a source of plain C or C++, whose regions are calls of the
// runtime.
//
// Threads     pure, but for libclang.
#pragma once

#include <stretto/error.hpp>
#include <string>
#include <vector>

#include "cc/acc/preprocessed_text.hpp"
#include "cc/language.hpp"

namespace stretto::cc::acc {

struct translation {
  std::string text;            // preprocessed, with markers of the user's lines
  std::vector<error> refused;  // O01 to O16: the text is then of no use
  std::string report;          // the directives, with what was made of their regions, for --acc-show
};

/// A source without directives stays as it is, and needs no libclang. `standard` is the compiler's option for
/// C++, as "-std=c++17"; empty: C++20.
translation translate(const preprocessed_text& source, language language, const std::string& standard = {});

}  // namespace stretto::cc::acc
