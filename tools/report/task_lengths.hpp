// task_lengths.hpp - a histogram of task lengths, compared with the overhead of the runtime.
//
// Threads     pure.
#pragma once

#include "report/recorded_run.hpp"

namespace stretto::report {

struct length_bin {
  nanoseconds from = 0, below = 0;  // powers of two; the first begins at 0
  std::uint64_t count = 0;
  nanoseconds time = 0;
};

struct length_histogram {
  std::vector<length_bin> bins;  // without gaps, from the shortest to the longest task
  std::uint64_t count = 0;
  std::uint64_t too_fine = 0;  // tasks shorter than ten times the overhead
  nanoseconds median = 0;      // of the lengths
};

/// Tasks and kernels by their length without nested work. Cost: O(records).
length_histogram find_lengths(const run& r, nanoseconds overhead);

}  // namespace stretto::report
