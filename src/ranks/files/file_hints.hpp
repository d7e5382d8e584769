// file_hints.hpp - the hints about files that MPI defines.
//
// Threads     pure.
#pragma once

#include "ranks/communicators/info.hpp"

namespace stretto::ranks {

/// Adds those of MPI's names to the hints of a file. None changes what Stretto does; others are ignored.
void add_file_hints(info& hints, const info& given);

}  // namespace stretto::ranks
