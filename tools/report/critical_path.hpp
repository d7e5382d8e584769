// critical_path.hpp - the critical path of a run, and its longest chain of dependencies.
//
// Threads     pure.
//
// Two answers. The critical path as it happened goes back from the last end, of a rank if there are any: before a
// record lies either what it depended on, or the record that kept its lane busy, whichever ended later; the time
// between is a wait. Its pieces follow one another without a gap, so their shares add up to the whole run. The longest
// chain ignores lanes: no number of workers makes the run shorter than it.
#pragma once

#include "report/recorded_run.hpp"

namespace stretto::report {

enum class piece_kind : std::uint8_t {
  work,     // the record ran
  delay,    // all it depended on had ended and its lane was free, and still it had not begun
  unknown,  // before the first record on the path that depends on nothing
};
/// "work", "delay", "unknown".
const char* name(piece_kind k) noexcept;

enum class reached_by : std::uint8_t { start, dependency, lane };

struct path_piece {
  nanoseconds start = 0, end = 0;
  std::uint32_t record = 0;  // that ran, or that a delay or unknown time came before
  piece_kind kind = piece_kind::work;
  reached_by from = reached_by::start;  // how the record came to be next on the path
  friend bool operator==(const path_piece&, const path_piece&) = default;
};

struct path_share {
  report::kind kind;
  piece_kind piece;
  std::string name;  // a family of names (name_totals.hpp): of the work, or of the work that a delay came before
  std::uint64_t count = 0;
  nanoseconds time = 0;
};

struct critical_path {
  std::vector<path_piece> pieces;  // in order of time, from 0 to the end of the run
  std::vector<path_share> shares;  // the same by name, longest first
  std::vector<path_share> kinds;   // tasks, copies, ..., and waits: without names, longest first
  nanoseconds work = 0;            // of all records
  nanoseconds longest_chain = 0;   // of records that depend on one another
};

/// Cost: O(records + edges).
critical_path find_critical_path(const run& r);

}  // namespace stretto::report
