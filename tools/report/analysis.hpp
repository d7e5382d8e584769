// analysis.hpp - everything that a report says about a run, as values, JSON and text.
//
// Threads     pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/advice.hpp"
#include "report/critical_path.hpp"
#include "report/idle_time.hpp"
#include "report/late_ranks.hpp"
#include "report/name_totals.hpp"
#include "report/task_lengths.hpp"
#include "report/utilisation.hpp"

namespace stretto::report {

struct analysis {
  critical_path path;
  rank_findings ranks;
  utilisations used;
  std::vector<name_total> names, kinds;
  std::vector<module_total> modules;
  std::vector<copy_total> copies;
  idle_time idle;
  length_histogram lengths;
  report::advice advice;
};

analysis analyse(const run& r);

/// Rows of each table at most; what was left out is counted in "rows_left_out". Times are in nanoseconds.
nlohmann::ordered_json to_json(const run& r, const analysis& a, std::size_t most_rows = 1000);

/// The summary that `stretto report` prints.
std::string to_text(const run& r, const analysis& a);

/// "1.25 ms": three digits and a unit. "12.5 %".
std::string time_text(nanoseconds t);
std::string share_text(nanoseconds part, nanoseconds whole);
/// `name` for a terminal: control characters and bytes that are no UTF-8 become U+FFFD, long names are cut.
std::string plain_name(std::string_view name, std::size_t most = 48);

}  // namespace stretto::report
