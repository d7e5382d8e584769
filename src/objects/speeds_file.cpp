#include "objects/speeds_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>

#include "base/whole_file.hpp"

namespace stretto::objects {

namespace {
constexpr std::uint64_t most_bytes = 64u << 20;
}  // namespace

std::filesystem::path default_speeds_file() { return base::cache_path("speeds.txt"); }

speeds load_speeds(const std::filesystem::path& file, std::string& warning) {
  std::error_code ignored;
  if (file.empty() || !std::filesystem::exists(file, ignored)) return {};
  const auto [text, unread, is_too_large] = base::read_whole(file, most_bytes);
  if (!unread.empty()) {
    warning = fmt::format("measured speeds in {} cannot be read: {}", file.string(), unread);
    return {};
  }
  std::string fault;
  if (auto all = speeds::read(text, fault)) return *std::move(all);
  warning = fmt::format("measured speeds are ignored: {}, {}", file.string(), fault);
  return {};
}

bool save_speeds(const speeds& all, const std::filesystem::path& file, std::string& warning) {
  if (file.empty()) return false;
  std::error_code fault;
  std::filesystem::create_directories(file.parent_path(), fault);
  const int reason = fault ? fault.value() : base::replace_whole(file, all.text());
  if (reason)
    warning = fmt::format("measured speeds cannot be written to {}: {}", file.string(), std::strerror(reason));
  return !reason;
}

}  // namespace stretto::objects
