// abort_delay.hpp - keeps MPICH's launcher from ending a job before it is known which node called MPI_Abort.
//
// MPICH tells the launcher of MPI_Abort through the connection that PMI_FD names. The launcher then kills all processes
// at once, and what they wrote last is lost, as is which of them aborted. This object stands in that connection: it
// passes everything on, and holds the command to abort until what the node wrote has been read and its end reported.
// The node does nothing meanwhile: it waits for an answer that never comes.
//
// Threads     of a process with one thread.
// Source      PMI 1 is lines of text, "cmd=abort exitcode=7"; what has another form goes on unread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stretto::job {

class abort_delay {
 public:
  /// Takes the connection from PMI_FD's number; none of it if the variable is not there.
  abort_delay();
  abort_delay(const abort_delay&) = delete;
  ~abort_delay();

  /// In the child, before it becomes the program: gives it its end under the number that PMI_FD names.
  void give() const;
  /// In the parent, once the child is there.
  void close_given();

  /// To wait for; -1: nothing comes from there any more.
  int node() const noexcept { return node_; }
  int launcher() const noexcept { return launcher_; }
  /// Passes on what has come. Never waits for more.
  void pass();
  /// The exit code that the node gave to MPI_Abort.
  std::optional<int> aborted() const noexcept { return aborted_; }
  /// Passes the command to abort on, once what the node wrote to its outputs has been read.
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
