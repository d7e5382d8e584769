#include "job/end_socket.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>

#include "base/socket_address.hpp"

namespace stretto::job {

end_socket::end_socket() {
  try {
    folder_.emplace("stretto-run");
  } catch (const std::filesystem::filesystem_error&) {
    return;
  }
  const auto address = base::socket_address(path());
  file_ = address ? ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;
  if (file_ < 0 || ::bind(file_, base::as_sockaddr(*address), sizeof *address) == 0) return;
  ::close(file_);
  file_ = -1;
}

end_socket::~end_socket() {
  if (file_ >= 0) ::close(file_);
}

std::string end_socket::read() {
  std::string all;
  std::array<char, 1024> line;
  for (ssize_t n; file_ >= 0 && (n = ::recv(file_, line.data(), line.size(), 0)) > 0;)
    all.append(line.data(), static_cast<std::size_t>(n));
  return all;
}

void send_to_runner(std::string_view line) {
  const char* const path = std::getenv(end_socket_variable);
  const auto address = path ? base::socket_address(path) : std::nullopt;
  const int from = address ? ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
  if (from < 0) return;
  ::sendto(from, line.data(), line.size(), MSG_NOSIGNAL, base::as_sockaddr(*address), sizeof *address);
  ::close(from);
}

}  // namespace stretto::job
