// heap_functions.hpp - the functions of the heap for programs whose ranks share blocks: they know large blocks, and
// free a block when all ranks that share it have.
//
// Threads     any.
// Cost        of blocks below heap_blocks::least_bytes: a comparison, or a load where they are freed.
#pragma once

#include "ranks/program/linked/program.h"

namespace stretto::ranks {

/// malloc, free and their like, as definitions that replace those of the C library in a copy of a program.
const stretto_replacement* heap_replacements() noexcept;

}  // namespace stretto::ranks
