// special_ranks.hpp - numbers that programs pass in place of a rank; the values are those of the ABI of MPI 5.0.
//
// Threads     constants.
#pragma once

namespace stretto::ranks {

inline constexpr int any_source = -1;         // MPI_ANY_SOURCE
inline constexpr int null_process = -3;       // MPI_PROC_NULL
inline constexpr int this_rank_is_root = -4;  // MPI_ROOT
inline constexpr int no_rank = -32766;        // MPI_UNDEFINED

}  // namespace stretto::ranks
