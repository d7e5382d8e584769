#include "base/address_space.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace stretto::base {
namespace {

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t limit() noexcept {
  rlimit now;
  return ::getrlimit(RLIMIT_AS, &now) != 0 || now.rlim_cur == RLIM_INFINITY ? no_limit : now.rlim_cur;
}

/// 0 if the system does not report it.
std::uint64_t mapped() noexcept {
  char text[64] = {};
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t bytes = ::read(file, text, sizeof text - 1);
  ::close(file);
  return bytes > 0 ? std::strtoull(text, nullptr, 10) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

std::uint64_t spare_addresses() noexcept {
  const std::uint64_t most = limit();
  if (most == no_limit) return no_limit;
  return most - std::min(most, mapped());
}

std::uint64_t share_of_addresses(std::uint64_t wanted) noexcept { return std::min(wanted, spare_addresses() / 8); }

bool may_map(std::uint64_t bytes) noexcept {
  const std::uint64_t most = limit();
  return most == no_limit || mapped() + bytes + most / 16 <= most;
}

}  // namespace stretto::base
