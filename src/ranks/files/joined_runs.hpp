// joined_runs.hpp - runs of a file that one system call transfers.
//
// Threads     pure.
#pragma once

#include <vector>

#include "ranks/files/file_cursor.hpp"

namespace stretto::ranks {

/// In the order of the file; joins runs that overlap, adjoin, or leave at most such a gap.
std::vector<file_run> joined_runs(std::vector<file_run> runs, std::int64_t largest_gap);

/// How long the first runs are on average; longer ones count as `most`, which is the result without data.
std::int64_t average_run(file_cursor data, std::int64_t most);

}  // namespace stretto::ranks
