// local_socket.hpp - a process answers others of its user, through sockets in a folder that only he can enter.
//
// A name is the process's number; where another process that lives has it already (two containers may share a folder
// and count processes each for itself), "-1", "-2", ... follow. A process that finds a socket without a listener
// removes it.
//
// Threads     any. The answers are made on a thread of the socket's own.
// Cost        one thread, asleep until someone asks.
// Invariants  (1) only the user of the process, and root, get an answer: the folder is 0700 and his, the socket 0600,
//             and the kernel names who asks (SO_PEERCRED). (2) a socket that is removed is one that nobody listens to:
//             looking and removing happen under a lock on the folder.
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

/// Where this user's sockets are: "$XDG_RUNTIME_DIR/stretto", or "/tmp/stretto-1000" without that variable.
std::filesystem::path local_socket_folder();

class local_socket {
 public:
  /// Until it is destroyed, whoever of the same user connects is sent what `answer` returns, which must not throw.
  ///   throws   B30 if there can be no socket in that folder, or the folder is not this user's alone
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

/// The names of those who listen there, in order; what is left of others is removed.
std::vector<std::string> local_sockets_in(const std::filesystem::path& folder);

/// The reply of the process behind a name; nothing if no process of this user listens there, or none replies in time.
std::optional<std::string> ask_local_socket(const std::filesystem::path& folder, const std::string& name,
                                            std::chrono::milliseconds patience = std::chrono::seconds(5));

}  // namespace stretto::base
