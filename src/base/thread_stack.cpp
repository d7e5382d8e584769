#include "base/thread_stack.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "base/fork_reset.hpp"
#include "base/futex.hpp"
#include "base/kept_errno.hpp"
#include "base/sleeping_thread.hpp"

namespace stretto::base {
namespace {

constexpr int stack_signal = SIGWINCH;
constexpr std::size_t most_frames = 128;
constexpr std::int64_t timeout_ns = 100'000'000;

// State of the one request at a time.
std::mutex request_mutex;
constinit std::atomic<int> requested_thread{0};       // 0: none, or the thread is replying
constinit std::atomic<std::uint32_t> is_answered{0};  // futex
constinit const void* frames[most_frames];
constinit std::size_t frame_count = 0;

const fork_reset reset_in_child([]() noexcept {
  std::construct_at(&request_mutex);
  requested_thread.store(0, std::memory_order_seq_cst);
});

_Unwind_Reason_Code record_frame(_Unwind_Context* context, void*) {
  if (frame_count == most_frames) return _URC_END_OF_STACK;
  int is_interrupted = 0;
  const auto address = _Unwind_GetIPInfo(context, &is_interrupted);
  if (!address) return _URC_END_OF_STACK;
  if (is_interrupted) frame_count = 0;  // the frames above are those of the signal handler
  // A return address may lie behind the function whose last act is a call.
  frames[frame_count++] = reinterpret_cast<const void*>(address - (is_interrupted ? 0 : 1));
  return _URC_NO_REASON;
}

void on_stack_signal(int) {
  const kept_errno kept;
  int self = gettid();
  if (requested_thread.compare_exchange_strong(self, 0, std::memory_order_seq_cst)) {
    frame_count = 0;
    _Unwind_Backtrace(record_frame, nullptr);
    futex_store_and_wake(is_answered, 1);
  }
}

/// A function of a file, exported or not.
struct symbol {
  std::uintptr_t address;
  std::size_t bytes;
  std::string name;
};
std::vector<symbol> symbols_of(const char* file) {
  std::ifstream in(file, std::ios::binary);
  ElfW(Ehdr) head{};
  in.read(reinterpret_cast<char*>(&head), sizeof head);
  if (!in || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof(ElfW(Shdr))) return {};
  std::vector<ElfW(Shdr)> sections(head.e_shnum);
  in.seekg(static_cast<std::streamoff>(head.e_shoff));
  in.read(reinterpret_cast<char*>(sections.data()), static_cast<std::streamsize>(sections.size() * sizeof(ElfW(Shdr))));
  std::vector<symbol> found;
  for (const auto& table : sections) {
    if (!in || table.sh_type != SHT_SYMTAB || table.sh_entsize != sizeof(ElfW(Sym)) || table.sh_link >= sections.size())
      continue;
    const auto& texts = sections[table.sh_link];
    if (table.sh_size > std::size_t{1} << 28 || texts.sh_size > std::size_t{1} << 28) continue;
    std::vector<ElfW(Sym)> entries(table.sh_size / sizeof(ElfW(Sym)));
    std::string text(texts.sh_size, '\0');
    in.seekg(static_cast<std::streamoff>(table.sh_offset));
    in.read(reinterpret_cast<char*>(entries.data()), static_cast<std::streamsize>(entries.size() * sizeof(ElfW(Sym))));
    in.seekg(static_cast<std::streamoff>(texts.sh_offset));
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!in) return {};
    for (const auto& e : entries)
      if ((e.st_info & 15) == STT_FUNC && e.st_value && e.st_name < text.size())
        found.push_back({e.st_value, e.st_size, text.c_str() + e.st_name});
  }
  std::ranges::sort(found, {}, &symbol::address);
  return found;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 && text ? text.get() : name;
}

}  // namespace

namespace {

std::vector<const void*> interrupted_stack(int number, std::size_t most) {
  const std::scoped_lock one_at_a_time(request_mutex);
  struct sigaction before {};
  sigaction(stack_signal, nullptr, &before);
  if (before.sa_flags & SA_SIGINFO || (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)) return {};
  struct sigaction ours {};
  ours.sa_handler = on_stack_signal;
  ours.sa_flags = SA_RESTART | SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  sigaction(stack_signal, &ours, nullptr);

  is_answered.store(0, std::memory_order_seq_cst);
  requested_thread.store(number, std::memory_order_seq_cst);
  if (syscall(SYS_tgkill, getpid(), number, stack_signal) == 0) futex_wait_for(is_answered, 0, timeout_ns);
  // Wait for a handler that is replying. A later one finds no request, or the signal ignored again.
  if (!requested_thread.exchange(0, std::memory_order_seq_cst))
    while (!is_answered.load(std::memory_order_acquire)) futex_wait_for(is_answered, 0, timeout_ns);
  sigaction(stack_signal, &before, nullptr);

  if (!is_answered.load(std::memory_order_acquire)) return {};
  std::vector<const void*> found(frames, frames + frame_count);
  if (found.size() > most) found.resize(most);
  return found;
}

/// `return_addresses`, each as an address within its call, and where the thread is.
std::vector<const void*> searched_stack(const thread_sleep& sleep, std::size_t most) {
  std::vector<const void*> found = return_addresses(sleep, most - 1);
  for (const void*& one : found) one = static_cast<const char*>(one) - 1;
  found.insert(found.begin(), sleep.code);
  return found;
}

}  // namespace

std::vector<const void*> stack_of_thread(int number, std::size_t most) {
  const auto sleep = read_sleep(number);
  return sleep && !sleep->is_restarted ? searched_stack(*sleep, most) : interrupted_stack(number, most);
}

std::vector<std::string> names_of_code(std::span<const void* const> addresses) {
  std::map<std::string, std::vector<symbol>> symbols;
  std::vector<std::string> names;
  for (const void* const address : addresses) {
    Dl_info found{};
    const link_map* map = nullptr;
    if (!dladdr1(address, &found, const_cast<void**>(reinterpret_cast<const void**>(&map)), RTLD_DL_LINKMAP) || !map) {
      names.push_back(fmt::format("{}", address));
      continue;
    }
    const auto offset = reinterpret_cast<std::uintptr_t>(address) - map->l_addr;
    const char* const slash = std::strrchr(found.dli_fname, '/');
    const std::string where = fmt::format("{}+{:#x}", slash ? slash + 1 : found.dli_fname, offset);
    const std::string file = *map->l_name ? map->l_name : "/proc/self/exe";
    if (!symbols.contains(file)) symbols[file] = symbols_of(file.c_str());

    const auto& here = symbols[file];
    const auto after = std::ranges::upper_bound(here, offset, {}, &symbol::address);
    if (after != here.begin() && offset < std::prev(after)->address + std::max<std::size_t>(std::prev(after)->bytes, 1))
      names.push_back(demangled(std::prev(after)->name.c_str()) + ", " + where);
    else if (found.dli_sname) names.push_back(demangled(found.dli_sname) + ", " + where);
    else names.push_back(where);
  }
  return names;
}

std::string name_of_call(const thread_sleep& of) {
  const std::string name = names_of_code({&of.code, 1}).front();
  const std::string function = name.substr(0, name.find(','));
  const auto begin = function.find_first_not_of('_');
  return begin == function.npos ? function : function.substr(begin);
}

}  // namespace stretto::base
