#include "device/sim/sim_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace stretto::device::sim {

namespace {

std::byte* map(std::uint64_t bytes, int protection) {
  void* const at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "memory of a simulated device");
  return static_cast<std::byte*>(at);
}

constexpr std::uint64_t tile_bytes = 2 << 20, most_tiles = 512;

/// A file with the fill bytes of fresh memory; -1 if the system gives none.
int garbage_file() {
  static const int file = [] {
    const int made = memfd_create("rubbish", MFD_CLOEXEC);
    std::array<unsigned char, 4096> page;
    page.fill(sim_memory::fresh_fill_byte);
    for (std::uint64_t written = 0; made >= 0 && written < tile_bytes; written += page.size())
      if (write(made, page.data(), page.size()) != static_cast<ssize_t>(page.size())) return close(made), -1;
    return made;
  }();
  return file;
}

// Pages are mapped from the file and copied on write: unused device memory takes neither memory nor time to fill.
void map_garbage(std::byte* first, std::uint64_t bytes) {
  const std::uint64_t shown = std::min(bytes, tile_bytes * most_tiles);
  for (std::uint64_t at = 0; garbage_file() >= 0 && at < shown; at += tile_bytes)
    if (mmap(first + at, std::min(tile_bytes, shown - at), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, garbage_file(), 0) == MAP_FAILED)
      throw std::system_error(errno, std::generic_category(), "memory of a simulated device");
}

}  // namespace

sim_memory::sim_memory(std::uint64_t bytes, std::string owner)
    : owner_(std::move(owner)), bytes_(bytes), outside_(map(bytes, PROT_NONE)) {
  try {
    inside_ = map(bytes, PROT_READ | PROT_WRITE);
    map_garbage(inside_, bytes);
  } catch (...) {
    if (inside_) munmap(inside_, bytes_);
    munmap(outside_, bytes_);
    throw;
  }
}

sim_memory::~sim_memory() {
  munmap(outside_, bytes_);
  munmap(inside_, bytes_);
}

void sim_memory::lose() noexcept {
  const std::scoped_lock lock(mutex_);
  is_lost_ = true;
  fill_with_garbage(outside_, bytes_, freed_fill_byte);
}

void sim_memory::fill_with_garbage(const std::byte* first, std::uint64_t bytes, unsigned char byte) noexcept {
  std::memset(inside_ + (first - outside_), byte, bytes);
}

}  // namespace stretto::device::sim
