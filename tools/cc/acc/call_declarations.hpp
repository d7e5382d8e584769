// call_declarations.hpp - what a translated source declares of the runtime that it calls (src/acc/program_calls.hpp).
//
// Threads     pure.
#pragma once

#include <string_view>

namespace stretto::cc::acc {

/// Structures, functions and the end of the program, in C. Once, ahead of all other calls.
std::string_view call_declarations() noexcept;

}  // namespace stretto::cc::acc
