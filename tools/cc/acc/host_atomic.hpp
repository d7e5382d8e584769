// host_atomic.hpp - the statements of atomic directives for cores of the host, by the atomic functions of compilers.
//
// Threads     pure.
#pragma once

#include <string>

#include "cc/acc/code_printer.hpp"

namespace stretto::cc::acc {

/// Lines in place of a statement that an atomic directive governs. Numbers of up to 8 bytes are changed by functions of
/// the compiler; others, and bit-fields, under one lock for all gangs.
///
///   printer   of all expressions in it
std::string host_atomic_text(const statement& s, const code_printer& printer, unsigned depth);

}  // namespace stretto::cc::acc
