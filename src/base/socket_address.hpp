// socket_address.hpp - the address of a Unix domain socket.
//
// Threads     pure.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <optional>
#include <string_view>

namespace stretto::base {

/// Nothing if the path is empty or too long for a socket.
inline std::optional<sockaddr_un> socket_address(std::string_view path) noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) return std::nullopt;
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

inline const sockaddr* as_sockaddr(const sockaddr_un& address) noexcept {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace stretto::base
