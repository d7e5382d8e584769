#include "net/mapped_memory.hpp"

#include <sys/mman.h>
#include <stretto/error.hpp>

#include <cerrno>
#include <cstring>
#include <string>

namespace stretto::net {

mapped_memory::mapped_memory(std::uint64_t bytes) : bytes_(bytes) {
  if (!bytes) return;
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED)
    throw error("N16", "there is no memory for this node's share of the global memory")
        .fact("bytes", std::to_string(bytes))
        .fact("system", std::strerror(errno))
        .remedy("give the option global_memory a smaller value");
  first_ = static_cast<std::byte*>(at);
}

mapped_memory::~mapped_memory() {
  if (first_) munmap(first_, bytes_);
}

}  // namespace stretto::net
