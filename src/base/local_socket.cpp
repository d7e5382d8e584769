#include "base/local_socket.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <stretto/error.hpp>

#include "base/file_descriptor.hpp"
#include "base/passive_thread.hpp"
#include "base/signals_blocked.hpp"
#include "base/socket_address.hpp"

namespace stretto::base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".sock";

/// While it lives, no other process opens or removes sockets in that folder.
class folder_lock {
 public:
  explicit folder_lock(const fs::path& folder) : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (folder_)
      while (flock(folder_.number(), LOCK_EX) != 0 && errno == EINTR) {
      }
  }

 private:
  file_descriptor folder_;
};

[[noreturn]] void refuse(const fs::path& folder, const std::string& why, const char* remedy) {
  throw error("B30", "this process cannot be monitored: its socket could not be opened")
      .fact("folder", folder.string())
      .because(why)
      .remedy(remedy);
}

/// Another user may have made the folder first, with a socket in it.
void make_private_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    refuse(folder, std::strerror(errno), "set XDG_RUNTIME_DIR to an existing folder that you own");
  struct stat found;
  if (lstat(folder.c_str(), &found) != 0)
    refuse(folder, std::strerror(errno), "set XDG_RUNTIME_DIR to a folder that you own");
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid() || found.st_mode & 077)
    refuse(folder, "it is not a folder that only you may enter",
           "remove it, or make yourself its owner (chown) and remove the permissions of others (chmod 700)");
}

std::optional<sockaddr_un> address_of(const fs::path& folder, const std::string& name) {
  return socket_address((folder / (name + std::string(suffix))).string());
}

bool is_trusted(int peer) noexcept {
  ucred who{};
  socklen_t size = sizeof who;
  return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && (who.uid == geteuid() || who.uid == 0);
}

enum class listener { none, alive, stale, unknown };

/// The socket is non-blocking: if the queue of connections is full (EAGAIN), there is a listener. unknown: errno says
/// why.
listener probe_listener(const sockaddr_un& address) noexcept {
  const file_descriptor s(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!s) return listener::unknown;
  if (connect(s.number(), as_sockaddr(address), sizeof address) == 0 || errno == EAGAIN) return listener::alive;
  if (errno == ENOENT) return listener::none;
  return errno == ECONNREFUSED ? listener::stale : listener::unknown;
}

}  // namespace

fs::path local_socket_folder() {
  if (const char* const given = std::getenv("XDG_RUNTIME_DIR"); given && *given) return fs::path(given) / "stretto";
  return "/tmp/stretto-" + std::to_string(geteuid());
}

local_socket::local_socket(fs::path folder, std::function<std::string()> answer)
    : folder_(std::move(folder)), answer_(std::move(answer)) {
  open();
  const signals_blocked here;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (...) {
    close(listener_), close(stop_event_);
    unlink((folder_ / (name_ + std::string(suffix))).c_str());
    refuse(folder_, "the system could not create a thread for it", "raise the limit of processes (ulimit -u)");
  }
}

void local_socket::open() {
  make_private_folder(folder_);
  const folder_lock lock(folder_);
  file_descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), stopper(eventfd(0, EFD_CLOEXEC));
  if (!made || !stopper) refuse(folder_, std::strerror(errno), "raise the limit of open files (ulimit -n)");
  for (unsigned other = 0;; ++other) {
    name_ = std::to_string(getpid()) + (other ? "-" + std::to_string(other) : "");
    const auto address = address_of(folder_, name_);
    if (!address) refuse(folder_, "its path is too long for a socket", "set XDG_RUNTIME_DIR to a shorter path");
    const listener found = probe_listener(*address);
    if (found == listener::alive) continue;
    if (found == listener::unknown)  // and so would every other name be
      refuse(folder_, std::strerror(errno), "raise the limit of open files (ulimit -n), or clear the folder");
    if (found == listener::stale) unlink(address->sun_path);
    if (bind(made.number(), as_sockaddr(*address), sizeof *address) != 0 || chmod(address->sun_path, 0600) != 0 ||
        listen(made.number(), 16) != 0)
      refuse(folder_, std::strerror(errno), "set XDG_RUNTIME_DIR to a folder where sockets can be created");
    break;
  }
  listener_ = made.release();
  stop_event_ = stopper.release();
}

local_socket::~local_socket() {
  const std::uint64_t one = 1;
  while (write(stop_event_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  thread_.join();
  {
    const folder_lock lock(folder_);
    unlink((folder_ / (name_ + std::string(suffix))).c_str());
  }
  shutdown(listener_, SHUT_RDWR);  // also the descriptor that a forked child still has
  close(listener_);
  close(stop_event_);
}

void local_socket::serve() noexcept {
  const passive_thread here;
  pollfd waits[] = {{listener_, POLLIN, 0}, {stop_event_, POLLIN, 0}};
  for (;;) {
    if (poll(waits, std::size(waits), -1) < 0 && errno != EINTR) return;
    if (waits[1].revents) return;
    if (!waits[0].revents) continue;
    const file_descriptor peer(accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC));
    if (peer && is_trusted(peer.number())) send_to(peer.number());
  }
}

/// Gives up on a peer that does not read: the next peer, or the end of the runtime, may be waiting.
void local_socket::send_to(int peer) noexcept {
  const timeval patience{.tv_sec = 1, .tv_usec = 0};
  setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  const std::string text = answer_();
  for (std::size_t sent = 0; sent < text.size();) {
    const auto n = send(peer, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    sent += static_cast<std::size_t>(n);
  }
}

std::vector<std::string> local_sockets_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code fault;
  for (const auto& file : fs::directory_iterator(folder, fault)) {
    const std::string name = file.path().filename().string();
    if (!name.ends_with(suffix)) continue;
    const std::string stem = name.substr(0, name.size() - suffix.size());
    const auto address = address_of(folder, stem);
    if (!address) continue;
    const folder_lock lock(folder);
    const listener found = probe_listener(*address);
    if (found == listener::alive || found == listener::unknown) names.push_back(stem);
    if (found == listener::stale) unlink(address->sun_path);
  }
  // By number: "10" after "9", "9-1" after "9".
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return std::pair(std::strtoull(a.c_str(), nullptr, 10), a) < std::pair(std::strtoull(b.c_str(), nullptr, 10), b);
  });
  return names;
}

std::optional<std::string> query_local_socket(const fs::path& folder, const std::string& name,
                                              std::chrono::milliseconds patience) {
  const auto address = address_of(folder, name);
  const file_descriptor s(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!address || !s) return std::nullopt;
  const timeval limit{.tv_sec = patience.count() / 1000, .tv_usec = patience.count() % 1000 * 1000};
  setsockopt(s.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(s.number(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);  // of connect
  if (connect(s.number(), as_sockaddr(*address), sizeof *address) != 0 || !is_trusted(s.number())) return std::nullopt;
  std::string text;
  char part[4096];
  for (;;) {
    const auto n = recv(s.number(), part, sizeof part, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    text.append(part, static_cast<std::size_t>(n));
  }
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace stretto::base
