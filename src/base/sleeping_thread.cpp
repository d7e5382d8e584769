#include "base/sleeping_thread.hpp"

#include <link.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <span>

#include "base/config.hpp"
#include "base/snapshot_read.hpp"

namespace stretto::base {
namespace {

constexpr std::size_t most_stack_bytes = 64 << 10;  // that are searched
constexpr std::size_t block_bytes = 1 << 10;        // a block that is aligned lies in one page
constexpr std::size_t longest_call = 7;             // bytes of an instruction

struct address_range {
  std::uintptr_t begin, end;
};

/// The code of all files that are loaded, in ascending order.
std::vector<address_range> ranges_of_code() {
  std::vector<address_range> all;
  const auto add = [](dl_phdr_info* object, std::size_t, void* to) {
    for (const auto& one : std::span(object->dlpi_phdr, object->dlpi_phnum))
      if (one.p_type == PT_LOAD && one.p_flags & PF_X)
        static_cast<std::vector<address_range>*>(to)->push_back(
            {object->dlpi_addr + one.p_vaddr, object->dlpi_addr + one.p_vaddr + one.p_memsz});
    return 0;
  };
  dl_iterate_phdr(add, &all);
  std::ranges::sort(all, {}, &address_range::begin);
  return all;
}

/// Whether the instruction in front of the address is a call: E8 and an offset, or FF /2 with one of its operands.
bool follows_call(std::uintptr_t address) {
  std::array<std::uint8_t, longest_call> before{};
  if (!snapshot_read(reinterpret_cast<const void*>(address - longest_call), before.data(), longest_call)) return false;
  if (before[longest_call - 5] == 0xe8) return true;
  for (const std::size_t length : {2, 3, 4, 6, 7}) {
    const std::uint8_t *const code = &before[longest_call - length], operand = (code[1] >> 3) & 7;
    if (code[0] == 0xff && operand == 2) return true;
  }
  return false;
}

bool is_return_address(const std::vector<address_range>& code, std::uintptr_t address) {
  const auto after = std::ranges::upper_bound(code, address, {}, &address_range::begin);
  return after != code.begin() && address < std::prev(after)->end &&
         address - std::prev(after)->begin >= longest_call && follows_call(address);
}

/// The kernel continues these after a handler with SA_RESTART. A socket with a timeout is an exception.
bool is_restarted(long number, unsigned long fourth_argument) {
  constexpr long restarted[] = {SYS_read,  SYS_readv,  SYS_pread64, SYS_write, SYS_writev, SYS_pwrite64,
                                SYS_wait4, SYS_waitid, SYS_flock,   SYS_fcntl, SYS_openat};
  if (number == SYS_futex) return fourth_argument == 0;  // no timeout
  return std::ranges::find(restarted, number) != std::end(restarted);
}

}  // namespace

std::optional<thread_sleep> read_sleep(int number) {
  std::ifstream in("/proc/self/task/" + std::to_string(number) + "/syscall");
  std::string line;
  std::getline(in, line);
  long call = 0;
  unsigned long arguments[6] = {}, stack = 0, code = 0;
  const int read = std::sscanf(line.c_str(), "%ld %lx %lx %lx %lx %lx %lx %lx %lx", &call, &arguments[0], &arguments[1],
                               &arguments[2], &arguments[3], &arguments[4], &arguments[5], &stack, &code);
  if (read != 9) return {};  // "running", or no system call
  return thread_sleep{is_restarted(call, arguments[3]), stack, reinterpret_cast<const void*>(code)};
}

std::optional<std::uint64_t> used_by_thread(int number) {
  // As pthread_getcpuclockid makes them.
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(number) << 3) | 6u);
  timespec used{};
  if (clock_gettime(clock, &used) != 0) return {};
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(used.tv_nsec);
}

std::vector<const void*> return_addresses(const thread_sleep& of, std::size_t most) {
  std::vector<const void*> found;
  if constexpr (!x86_64) return found;
  const auto code = ranges_of_code();
  std::array<std::uintptr_t, block_bytes / sizeof(std::uintptr_t)> entries;
  const std::uintptr_t first = of.stack_pointer / block_bytes * block_bytes;
  for (std::uintptr_t block = first; block < first + most_stack_bytes; block += block_bytes) {
    if (!snapshot_read(reinterpret_cast<const void*>(block), entries.data(), block_bytes)) break;
    for (std::size_t i = 0; i < entries.size() && found.size() < most; ++i)
      if (block + i * sizeof entries[0] >= of.stack_pointer && is_return_address(code, entries[i]))
        found.push_back(reinterpret_cast<const void*>(entries[i]));
  }
  return found;
}

}  // namespace stretto::base
