// not_translated.hpp - O10: what the translator has no code for.
//
// Threads     any.
#pragma once

#include <string>

#include "cc/acc/directive.hpp"

namespace stretto::cc::acc {

/// what: "the reduction of ..."
[[noreturn]] void not_translated(const source_line& where, const std::string& what);

}  // namespace stretto::cc::acc
