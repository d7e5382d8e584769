// end_socket.hpp - a socket by which nodes of this host report their ends to `stretto run` at once: a launcher that
// ends a job may lose the last output of nodes.
//
// Threads     of processes with one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/whole_file.hpp"

namespace stretto::job {

/// Lies in a folder that only this user can enter. Nodes of other hosts do not find it and report only through the
/// launcher.
class end_socket {
 public:
  /// Has no socket (file() is -1) if the temporary folder or the socket cannot be made.
  end_socket();
  end_socket(const end_socket&) = delete;
  ~end_socket();

  int file() const noexcept { return file_; }
  /// For the environment of the launcher.
  std::string path() const { return folder_ ? (folder_->path() / "ends").string() : std::string(); }
  /// All lines that have arrived.
  std::string read();

 private:
  std::optional<base::temporary_folder> folder_;
  int file_ = -1;
};

inline constexpr const char* end_socket_variable = "STRETTO_NODE_ENDS";

/// Sends a marked line (node_end.hpp) to the `stretto run` that started this node, if it is on this host.
void send_to_runner(std::string_view line);

}  // namespace stretto::job
