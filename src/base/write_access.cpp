#include "base/write_access.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace stretto::base {

int write_access_error(const std::filesystem::path& file) {
  std::error_code none;
  if (std::filesystem::is_directory(file, none)) return EISDIR;
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  if (::access(folder.c_str(), W_OK | X_OK) == 0) return 0;
  const int reason = errno;
  return ::access(file.c_str(), W_OK) == 0 ? 0 : reason;
}

}  // namespace stretto::base
