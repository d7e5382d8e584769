// node_end.hpp - how a failed node ended, reported through the launcher: as a marked line in the standard error of the
// nodes, which every launcher forwards from every host.
//
// Threads     pure; a reader belongs to one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stretto::job {

enum class ending { exit_code, signal, not_started };

struct node_end {
  std::uint32_t node = 0;
  std::string host = {};
  long process = 0;
  ending how = ending::exit_code;
  int number = 0;            // the exit code (0: the node ended in the middle of its job), the signal, or errno
  std::int64_t at_ns = 0;    // when the end was noticed, by the clock of its host
  bool is_of_ranks = false;  // the program is one of `stretto cc`
  bool is_reported = false;  // it has printed why its job ends
  bool is_in_job = false;    // it ended in the middle of its job

  friend bool operator==(const node_end&, const node_end&) = default;
};

/// "ended with exit code 3", "ended by signal 11 (Segmentation fault)", "could not be started: No such file or
/// directory".
std::string to_text(const node_end& e);

/// Sorts by the time of the end, not of the report: other nodes may fail because of the first one and be reported
/// earlier. Ends are noticed with a delay. A node that aborts within a second of one that was killed by a signal is
/// therefore sorted behind it: an MPI aborts processes that read memory of a process that has ended.
void order_by_cause(std::vector<node_end>& all);

/// The marked line, with its end.
std::string to_line(const node_end& e);

/// Extracts marked lines from the output. An unfinished line of another node may precede one, and one may arrive in
/// pieces.
class node_end_reader {
 public:
  /// The rest of `came`, which is to be shown.
  std::string read(std::string_view came);
  /// The text that was held back, at the end of the output.
  std::string rest();

  std::vector<node_end> found;  // in the order in which they came

 private:
  std::string kept_;  // begins with the mark
};

}  // namespace stretto::job
