// local_socket.hpp - a socket by which other processes of the same user query this process.
//
// A name is the process's number; where another process that lives has it already (two containers may share a folder
// and count processes each for itself), "-1", "-2", ... follow. A process that finds a socket without a listener
// removes it.
//
// Threads     any. The socket makes its replies on a thread of its own.
// Cost        one thread, which sleeps until a query arrives.
// Invariants  (1) only the user of the process, and root, get a reply: the folder has mode 0700 and belongs to the
//             user, the socket has mode 0600, and the kernel names the peer (SO_PEERCRED). (2) only a socket without
//             a listener is removed: check and removal happen under a lock on the folder.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace stretto::base {

/// The folder of this user's sockets: "$XDG_RUNTIME_DIR/stretto", or "/tmp/stretto-1000" without that variable.
std::filesystem::path local_socket_folder();

class local_socket {
 public:
  /// Until it is destroyed, each process of the same user that connects is sent the result of `answer`, which must not
  /// throw.
  ///   throws   B30 if there can be no socket in that folder, or if others may enter the folder
  local_socket(std::filesystem::path folder, std::function<std::string()> answer);
  local_socket(const local_socket&) = delete;
  ~local_socket();

  /// "4711".
  const std::string& name() const noexcept { return name_; }

 private:
  void open();
  void serve() noexcept;
  void send_to(int peer) noexcept;

  const std::filesystem::path folder_;
  const std::function<std::string()> answer_;
  std::string name_;
  int listener_ = -1, stop_event_ = -1;
  std::thread thread_;
};

/// The names of the sockets with a listener, in order; stale sockets are removed.
std::vector<std::string> local_sockets_in(const std::filesystem::path& folder);

/// The reply of the process behind a name; nothing if no process of this user listens there, or none replies in time.
std::optional<std::string> query_local_socket(const std::filesystem::path& folder, const std::string& name,
                                              std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace stretto::base
