#include "base/code_location.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string_view>

#include "base/child_process.hpp"
#include "base/thread_stack.hpp"

namespace stretto::base {
namespace {

/// "/home/me/ring.c:12 (discriminator 3)" without folder and remark; empty for "??:0".
std::string short_line(std::string_view line) {
  line = line.substr(0, line.find_first_of(" \n"));
  if (line.starts_with("??") || line.ends_with(":?") || line.ends_with(":0")) return {};
  if (const auto slash = line.rfind('/'); slash != line.npos) line.remove_prefix(slash + 1);
  return std::string(line);
}

std::string line_of(const void* inside_call) {
  const code_place place(inside_call);
  if (!place.file()) return {};
  return short_line(run_child({{"/usr/bin/env", "addr2line", "-e", place.file(), place.offset()}}).output);
}

}  // namespace

code_place::code_place(const void* address) noexcept {
  Dl_info found{};
  const link_map* map = nullptr;
  if (!::dladdr1(address, &found, const_cast<void**>(reinterpret_cast<const void**>(&map)), RTLD_DL_LINKMAP) || !map)
    return;
  // The file of the process: it may have been called by any name, and /proc/self would be the child's.
  fmt::format_to_n(own_file_.data(), own_file_.size() - 1, "/proc/{}/exe", ::getpid());
  fmt::format_to_n(offset_.data(), offset_.size() - 1, "{:#x}",
                   reinterpret_cast<std::uintptr_t>(address) - map->l_addr);
  file_ = *map->l_name ? map->l_name : own_file_.data();
}

std::string location_of_call(const void* return_address) {
  static std::mutex lock;
  static std::map<const void*, std::string> known;
  if (!return_address) return {};
  const std::scoped_lock one_at_a_time(lock);
  const auto [place, is_new] = known.try_emplace(return_address);
  if (!is_new) return place->second;
  const void* const inside_call = static_cast<const char*>(return_address) - 1;
  place->second = line_of(inside_call);
  if (place->second.empty()) place->second = names_of_code({&inside_call, 1}).front();
  return place->second;
}

}  // namespace stretto::base
