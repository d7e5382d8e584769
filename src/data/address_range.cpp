#include "data/address_range.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "base/config.hpp"

extern "C" void __asan_unpoison_memory_region(const volatile void* address, std::size_t size);

namespace stretto::data {

namespace {
constexpr std::uint64_t page = 4096;
constexpr std::uint64_t first_step = 1u << 20;
constexpr std::uint64_t largest_step = 256u << 20;

std::uint64_t page_up(std::uint64_t n) noexcept { return (n + page - 1) / page * page; }
}  // namespace

address_range::address_range(std::uint64_t capacity) noexcept {
  // Without access rights the range is not accounted, whatever the system's policy on over-commitment.
  for (std::uint64_t bytes = page_up(capacity); bytes >= page; bytes = page_up(bytes / 2)) {
    void* at = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) {
      ::madvise(at, bytes, MADV_DONTDUMP);  // or a debugger writes a core file as large as the memory
      base_ = static_cast<std::byte*>(at);
      capacity_ = std::min(bytes, capacity);
      return;
    }
    if (bytes == page) return;
  }
}

address_range::~address_range() {
  if (base_ && is_ours_) ::munmap(base_, page_up(capacity_));
}

bool address_range::grow(std::uint64_t end) noexcept {
  if (end > capacity_) return false;
  const std::uint64_t step = std::clamp(committed_, first_step, largest_step);
  const std::uint64_t all = page_up(capacity_);
  for (const std::uint64_t wanted : {std::min(all, page_up(std::max(end, committed_ + step))), page_up(end)})
    if (::mprotect(base_ + committed_, wanted - committed_, PROT_READ | PROT_WRITE) == 0) {
      // These addresses may have been a task's stack before; the sanitizer's marks outlive a mapping.
      if constexpr (base::address_sanitizer) __asan_unpoison_memory_region(base_ + committed_, wanted - committed_);
      // Large instances are read at random, too: fewer pages, fewer misses of the processor's table of them.
      ::madvise(base_ + committed_, wanted - committed_, MADV_HUGEPAGE);
      ::madvise(base_ + committed_, wanted - committed_, MADV_DODUMP);
      committed_ = wanted;
      return true;
    }
  return false;
}

void address_range::discard(std::uint64_t from, std::uint64_t to) noexcept {
  if (!is_ours_) return;
  from = page_up(from);
  to = to / page * page;
  if (from < to) ::madvise(base_ + from, to - from, MADV_DONTNEED);
}

}  // namespace stretto::data
