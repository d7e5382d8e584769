#include "ranks/files/joined_runs.hpp"

#include <algorithm>

namespace stretto::ranks {

std::vector<file_run> joined_runs(std::vector<file_run> runs, std::int64_t largest_gap) {
  std::sort(runs.begin(), runs.end(), [](const file_run& a, const file_run& b) { return a.offset < b.offset; });
  std::vector<file_run> joined;
  for (const file_run& run : runs) {
    if (joined.empty() || run.offset > joined.back().end() + largest_gap) joined.push_back(run);
    else joined.back().bytes = std::max(joined.back().end(), run.end()) - joined.back().offset;
  }
  return joined;
}

std::int64_t average_run(file_cursor data, std::int64_t most) {
  constexpr int samples = 16;
  std::int64_t bytes = 0;
  int runs = 0;
  for (; runs < samples && data.left() > 0; ++runs) bytes += data.take(most).bytes;
  return runs == 0 ? most : bytes / runs;
}

}  // namespace stretto::ranks
