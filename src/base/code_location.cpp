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
  Dl_info found{};
  const link_map* map = nullptr;
  if (!::dladdr1(inside_call, &found, const_cast<void**>(reinterpret_cast<const void**>(&map)), RTLD_DL_LINKMAP) ||
      !map)
    return {};
  // By number: /proc/self would be the child's.
  const std::string file = *map->l_name ? map->l_name : fmt::format("/proc/{}/exe", ::getpid());
  const std::string offset = fmt::format("{:#x}", reinterpret_cast<std::uintptr_t>(inside_call) - map->l_addr);
  return short_line(run_child({{"/usr/bin/env", "addr2line", "-e", file, offset}}).output);
}

}  // namespace

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
