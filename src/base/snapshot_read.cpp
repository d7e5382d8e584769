#include "base/snapshot_read.hpp"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace stretto::base {

bool snapshot_read(const void* from, void* into, std::size_t bytes) noexcept {
  iovec here{into, bytes}, there{const_cast<void*>(from), bytes};
  // A raw system call: sanitizers intercept the function of the C library.
  return syscall(SYS_process_vm_readv, getpid(), &here, 1ul, &there, 1ul, 0ul) == static_cast<long>(bytes);
}

std::string snapshot_text(const char* from, std::size_t most) {
  constexpr std::size_t piece = 16;  // a piece that is aligned lies in one page
  std::string text;
  while (from && text.size() < most) {
    const std::size_t wanted = piece - reinterpret_cast<std::uintptr_t>(from) % piece;
    char read[piece];
    if (!snapshot_read(from, read, wanted)) break;
    const std::size_t length = strnlen(read, wanted);
    text.append(read, length);
    if (length < wanted) break;
    from += wanted;
  }
  return text;
}

std::string snapshot_location(const std::source_location* from) {
  // Compilers implement a source location as a pointer to these.
  struct place {
    const char* file;
    const char* function;
    unsigned line, column;
  };
  static_assert(sizeof(std::source_location) == sizeof(place*));
  const snapshot_copy<const place*> pointer(from);
  if (!pointer || !*pointer) return {};
  const snapshot_copy<place> at(*pointer);
  if (!at || !at->line) return {};
  const std::string file = snapshot_text(at->file, 1000);
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(at->line);
}

}  // namespace stretto::base
