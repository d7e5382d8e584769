#include "ranks/windows/memory_block.hpp"

#include <sys/mman.h>

#include <string>

#include "ranks/call_error.hpp"

namespace stretto::ranks {

memory_block::memory_block(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
  if (bytes == 0) return;
  void* const pages =
      ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw call_error(error_class::no_memory, "there are no " + std::to_string(bytes) + " bytes");
  memory_ = static_cast<std::byte*>(pages);
}

memory_block::~memory_block() {
  if (memory_) ::munmap(memory_, bytes_);
}

}  // namespace stretto::ranks
