// abort_delay.hpp - keeps MPICH's launcher from ending a job before it is known which node called MPI_Abort.
//
// MPICH reports MPI_Abort to the launcher through the connection that PMI_FD names. The launcher then kills all
// processes at once, and their last output is lost, and with it the information which of them aborted. This object
// intercepts the connection: it forwards everything, but delays the abort command until the output of the node has been
// read and its end reported. The node does nothing meanwhile: it waits for a reply that never comes.
//
// Threads     of a process with one thread.
// Source      PMI 1 is lines of text, "cmd=abort exitcode=7"; other protocols are forwarded unread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stretto::job {

class abort_delay {
 public:
  /// Takes over the connection that PMI_FD names; does nothing without the variable.
  abort_delay();
  abort_delay(const abort_delay&) = delete;
  ~abort_delay();

  /// In the child, before it becomes the program: gives it its end under the number that PMI_FD names.
  void give() const;
  /// In the parent, once the child is there.
  void close_given();

  /// The descriptor to poll; -1: closed.
  int node() const noexcept { return node_; }
  int launcher() const noexcept { return launcher_; }
  /// Forwards the data that has arrived. Does not wait.
  void pass();
  /// The exit code that the node gave to MPI_Abort.
  std::optional<int> aborted() const noexcept { return aborted_; }
  /// Forwards the abort command, once the output of the node has been read.
  void let_abort();

 private:
  void pass_lines(std::string_view came);

  int number_ = -1;           // that PMI_FD names
  int launcher_ = -1;         // the connection
  int node_ = -1, its_ = -1;  // a pair of sockets: our end, the node's
  std::string line_;          // that has not ended
  std::string held_;          // from the command to abort on
  bool is_held_ = false;
  std::optional<int> aborted_;
};

}  // namespace stretto::job
