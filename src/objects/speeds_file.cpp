#include "objects/speeds_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace stretto::objects {

std::filesystem::path default_speeds_file() {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return std::filesystem::path(cache) / "stretto" / "speeds.txt";
  if (const char* const home = std::getenv("HOME"); home && *home == '/')
    return std::filesystem::path(home) / ".cache" / "stretto" / "speeds.txt";
  return {};
}

speeds load_speeds(const std::filesystem::path& file, std::string& warning) {
  std::error_code ignored;
  if (file.empty() || !std::filesystem::exists(file, ignored)) return {};
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.is_open() || in.bad()) {
    warning = fmt::format("measured speeds in {} cannot be read: {}", file.string(), std::strerror(errno));
    return {};
  }
  std::string fault;
  if (auto all = speeds::read(text, fault)) return *std::move(all);
  warning = fmt::format("measured speeds are ignored: {}, {}", file.string(), fault);
  return {};
}

bool save_speeds(const speeds& all, const std::filesystem::path& file, std::string& warning) {
  if (file.empty()) return false;
  static std::atomic<unsigned> written{0};
  std::error_code fault;
  std::filesystem::create_directories(file.parent_path(), fault);
  const std::filesystem::path aside =
      file.parent_path() / fmt::format(".{}.{}.{}", file.filename().string(), getpid(), written.fetch_add(1));
  errno = 0;
  std::ofstream out(aside, std::ios::binary);
  out << all.text();
  out.close();
  if (!out.good()) fault = std::error_code(errno ? errno : EIO, std::generic_category());
  else std::filesystem::rename(aside, file, fault);
  if (!fault) return true;
  warning = fmt::format("measured speeds cannot be written to {}: {}", file.string(), fault.message());
  std::error_code ignored;
  std::filesystem::remove(aside, ignored);
  return false;
}

}  // namespace stretto::objects
