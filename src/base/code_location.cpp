#include "base/code_location.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <string_view>

#include "base/file_descriptor.hpp"
#include "base/thread_stack.hpp"

namespace stretto::base {
namespace {

/// The output of the command; empty if it cannot be run.
std::string output_of(const char* const* command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  const file_descriptor reading(ends[0]);
  file_descriptor writing(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing.number(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, command[0], &actions, nullptr, const_cast<char* const*>(command), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed) return {};
  ::close(writing.release());
  std::string text;
  char part[512];
  for (ssize_t n; (n = ::read(reading.number(), part, sizeof part)) > 0 || (n < 0 && errno == EINTR);)
    if (n > 0) text.append(part, static_cast<std::size_t>(n));
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

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
  const std::string file = *map->l_name ? map->l_name : "/proc/self/exe";
  const std::string offset = fmt::format("{:#x}", reinterpret_cast<std::uintptr_t>(inside_call) - map->l_addr);
  const char* const command[] = {"addr2line", "-e", file.c_str(), offset.c_str(), nullptr};
  return short_line(output_of(command));
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
