// end_socket.hpp - how `stretto run` learns at once how nodes of its host ended: a launcher that ends a job may lose
// what nodes wrote last.
//
// Threads     of processes with one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/whole_file.hpp"

namespace stretto::job {

/// Lies in a folder that only this user can enter; nodes of other hosts find no such file and have the launcher's way
/// alone.
class end_socket {
 public:
  /// Without a socket (file() is -1) where no temporary folder can be made, or the system has none to give.
  end_socket();
  end_socket(const end_socket&) = delete;
  ~end_socket();

  int file() const noexcept { return file_; }
  /// For the environment of the launcher.
  std::string path() const { return folder_ ? (folder_->path() / "ends").string() : std::string(); }
  /// All lines that have come.
  std::string read();

 private:
  std::optional<base::temporary_folder> folder_;
  int file_ = -1;
};

inline constexpr const char* end_socket_variable = "STRETTO_NODE_ENDS";

/// Sends a marked line (node_end.hpp) to the `stretto run` that started this node, if it is on this host.
void send_to_runner(std::string_view line);

}  // namespace stretto::job
