// run_comparison.hpp - what differs between two runs.
//
// Threads     pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/analysis.hpp"

namespace stretto::report {

struct compared {
  std::string part;  // "task", "copy", ... for work of one name; "idle" for a cause
  std::string name;
  nanoseconds before = 0, after = 0;
  std::uint64_t count_before = 0, count_after = 0;
};

struct comparison {
  std::string before_file;
  nanoseconds before = 0, after = 0;              // lengths of the runs
  nanoseconds chain_before = 0, chain_after = 0;  // longest chains
  std::vector<compared> rows;                     // greatest difference first
};

/// Work is matched by kind and name, idle time by its cause and what was waited for.
comparison compare(const run& before, const analysis& of_before, const run& after, const analysis& of_after);

nlohmann::ordered_json to_json(const comparison& c, std::size_t most_rows = 1000);
std::string to_text(const comparison& c);

}  // namespace stretto::report
