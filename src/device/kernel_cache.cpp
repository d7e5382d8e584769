#include "device/kernel_cache.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/hash.hpp"
#include "base/whole_file.hpp"

namespace stretto::device {

namespace {

// The hash names files and detects damage; the key itself is compared.
using base::fnv1a;

constexpr std::uint64_t most_bytes = 1u << 30;  // of a compiled kernel

std::string header(std::string_view key, std::string_view content) {
  return fmt::format("stretto kernel 1\n{} {} {:016x}\n", key.size(), content.size(), fnv1a(content));
}

}  // namespace

std::filesystem::path kernel_cache::default_folder() { return base::cache_path("kernels"); }

std::filesystem::path kernel_cache::file_of(std::string_view key) const {
  return folder_ / fmt::format("{:016x}.bin", fnv1a(key));
}

std::optional<std::string> kernel_cache::find(std::string_view key) const {
  if (folder_.empty()) return {};
  const auto [all, fault, is_too_large] = base::read_whole(file_of(key), most_bytes);
  if (!fault.empty()) return {};
  // The expected header is computed from the rest and must match, so nothing in the file is trusted.
  std::size_t begin = all.find('\n');
  begin = begin == std::string::npos ? begin : all.find('\n', begin + 1);
  if (begin == std::string::npos || all.size() - begin - 1 < key.size()) return {};
  const std::string_view rest = std::string_view(all).substr(begin + 1);
  const std::string_view content = rest.substr(key.size());
  if (rest.substr(0, key.size()) != key || std::string_view(all).substr(0, begin + 1) != header(key, content))
    return {};
  return std::string(content);
}

void kernel_cache::put(std::string_view key, std::string_view content) const {
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  base::replace_whole(file_of(key), header(key, content).append(key).append(content));
}

}  // namespace stretto::device
