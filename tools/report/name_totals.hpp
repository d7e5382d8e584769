// name_totals.hpp - time and counts by name, by kind and by module, and copies by their cause.
//
// Threads     pure.
#pragma once

#include "report/recorded_run.hpp"

namespace stretto::report {

/// "tile 2,13" -> "tile #,#": names that differ in numbers only are of one family.
std::string family_of(std::string_view name);

struct name_total {
  report::kind kind = kind::other;
  std::string name;
  std::string at;  // of the first record with it
  std::uint64_t count = 0;
  nanoseconds total = 0;  // without nested work, for work; whole spans else
  nanoseconds shortest = 0, longest = 0;
  std::uint64_t bytes = 0;
};

struct copy_total {
  std::string name;      // which instances
  std::string from, to;  // memories; empty if not recorded
  std::string at;
  std::uint64_t count = 0, bytes = 0;
  nanoseconds time = 0;
};

struct module_total {
  std::string module;  // "core" for what belongs to none outside it
  report::kind kind = kind::other;
  std::uint64_t count = 0, bytes = 0;
  nanoseconds time = 0;  // without nested work
};

/// Longest total first. Cost: O(records).
std::vector<name_total> totals_by_name(const run& r);
std::vector<name_total> totals_by_family(const run& r);
std::vector<name_total> totals_by_kind(const run& r);
/// Work of each module, by kind; longest time first.
std::vector<module_total> totals_by_module(const run& r);
/// Copies, fills and reductions; longest time first.
std::vector<copy_total> copies_by_cause(const run& r);

}  // namespace stretto::report
