// dimensions.hpp - the sizes of a grid of ranks, as MPI_Dims_create chooses them.
//
// Threads     pure.
// Cost        searches the factorizations into the free dimensions; microseconds for ten thousand ranks.
#pragma once

#include <span>

namespace stretto::ranks {

/// Sets each entry of `dims` that is 0, so that the product of all is `count`. Those that it sets are as close to each
/// other as possible and in descending order: the largest and the smallest differ as little as they can; of equal
/// choices the one with the largest smallest entry is taken, then the one with the largest next entry, and so on.
///
/// Throws call_error(dims) where `count` is not a multiple of the given ones, or a number is negative.
void choose_dimensions(int count, std::span<int> dims);

}  // namespace stretto::ranks
