// call_declarations.hpp - what a translated source declares of the runtime that it calls (src/acc/program_calls.hpp).
//
// Threads     pure.
#pragma once

#include <string>

#include "cc/language.hpp"

namespace stretto::cc::acc {

/// Structures, functions and the end of the program. Once, ahead of all other calls.
std::string call_declarations(language language = language::c);

}  // namespace stretto::cc::acc
