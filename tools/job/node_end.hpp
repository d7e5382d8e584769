// node_end.hpp - how a node ended that did not end well, and its way through a launcher: as a marked line among what
// the nodes write to standard error, which every launcher brings from every host.
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
  int number = 0;  // the exit code, which is 0 where the node ended in the middle of its job; the signal, or errno
  std::int64_t at_ns = 0;  // when that was seen, by its host's clock

  friend bool operator==(const node_end&, const node_end&) = default;
};

/// "ended with exit code 3", "ended by signal 11 (Segmentation fault)", "could not be started: No such file or
/// directory".
std::string to_text(const node_end& e);

/// The first to end comes first, whoever was the first to tell: others may fail because of it, and be heard before.
/// When one has ended is seen a little later, by others also: who aborts within a second of another that a signal has
/// ended comes behind it, as an MPI aborts those who read memory of one that has gone.
void order_by_cause(std::vector<node_end>& all);

/// The marked line, with its end.
std::string to_line(const node_end& e);

/// Takes marked lines out of what came. Another node's unfinished line may stand before one, and one may come in
/// pieces.
class node_end_reader {
 public:
  /// What remains to be shown of `came`.
  std::string read(std::string_view came);
  /// What was kept back when no more comes.
  std::string rest();

  std::vector<node_end> found;  // in the order in which they came

 private:
  std::string kept_;  // begins with the mark
};

}  // namespace stretto::job
