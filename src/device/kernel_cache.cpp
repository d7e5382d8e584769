#include "device/kernel_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/hash.hpp"

namespace stretto::device {

namespace {

// Names files and finds damage; the key itself is compared.
using base::fnv1a;

std::string header(std::string_view key, std::string_view content) {
  return fmt::format("stretto kernel 1\n{} {} {:016x}\n", key.size(), content.size(), fnv1a(content));
}

}  // namespace

std::filesystem::path kernel_cache::default_folder() {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache && *cache == '/')
    return std::filesystem::path(cache) / "stretto" / "kernels";
  if (const char* const home = std::getenv("HOME"); home && *home == '/')
    return std::filesystem::path(home) / ".cache" / "stretto" / "kernels";
  return {};
}

std::filesystem::path kernel_cache::file_of(std::string_view key) const {
  return folder_ / fmt::format("{:016x}.bin", fnv1a(key));
}

std::optional<std::string> kernel_cache::find(std::string_view key) const {
  if (folder_.empty()) return {};
  std::ifstream in(file_of(key), std::ios::binary);
  if (!in) return {};
  const std::string all{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  // The header is made anew from what follows it, and must be the same: so nothing in the file is trusted.
  std::size_t begin = all.find('\n');
  begin = begin == std::string::npos ? begin : all.find('\n', begin + 1);
  if (begin == std::string::npos || all.size() - begin - 1 < key.size()) return {};
  const std::string_view rest = std::string_view(all).substr(begin + 1);
  const std::string_view content = rest.substr(key.size());
  if (rest.substr(0, key.size()) != key || std::string_view(all).substr(0, begin + 1) != header(key, content)) return {};
  return std::string(content);
}

void kernel_cache::put(std::string_view key, std::string_view content) const {
  if (folder_.empty()) return;
  static std::atomic<unsigned> written{0};
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  const std::filesystem::path aside = folder_ / fmt::format(".{}.{}", getpid(), written.fetch_add(1));
  bool good = false;
  {
    std::ofstream out(aside, std::ios::binary);
    out << header(key, content) << key << content;
    out.close();
    good = out.good();
  }
  if (good) std::filesystem::rename(aside, file_of(key), ignored);
  if (!good || ignored) std::filesystem::remove(aside, ignored);
}

}  // namespace stretto::device
