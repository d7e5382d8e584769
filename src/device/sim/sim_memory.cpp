#include "device/sim/sim_memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace stretto::device::sim {

namespace {

std::byte* map(std::uint64_t bytes, int protection) {
  void* const at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "memory of a simulated device");
  return static_cast<std::byte*>(at);
}

}  // namespace

sim_memory::sim_memory(std::uint64_t bytes) : bytes_(bytes), outside_(map(bytes, PROT_NONE)) {
  try {
    inside_ = map(bytes, PROT_READ | PROT_WRITE);
  } catch (...) {
    munmap(outside_, bytes_);
    throw;
  }
}

sim_memory::~sim_memory() {
  munmap(outside_, bytes_);
  munmap(inside_, bytes_);
}

void sim_memory::make_rubbish(const std::byte* first, std::uint64_t bytes, unsigned char byte) noexcept {
  std::memset(inside_ + (first - outside_), byte, bytes);
}

}  // namespace stretto::device::sim
