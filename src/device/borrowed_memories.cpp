#include "device/borrowed_memories.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <iterator>
#include <mutex>
#include <system_error>

namespace stretto::device {

namespace {

constexpr std::uintptr_t page = 4096;

}  // namespace

borrowed_memories::~borrowed_memories() {
  for (const auto& [first, r] : ranges_) munmap(r.mapped, r.mapped_bytes);
}

std::byte* borrowed_memories::reserve(std::uint64_t bytes, std::uintptr_t like) {
  const std::uintptr_t behind = like % page;
  const std::uint64_t wanted = bytes + behind;
  void* const at = mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "addresses for memory of a driver's");
  std::byte* const first = static_cast<std::byte*>(at) + behind;
  std::scoped_lock lock(mutex_);
  ranges_.emplace(first, range{bytes, wanted, at});
  count_.store(ranges_.size(), std::memory_order_release);
  return first;
}

void borrowed_memories::release(std::byte* first) noexcept {
  std::scoped_lock lock(mutex_);
  const auto found = ranges_.find(first);
  if (found == ranges_.end()) return;
  munmap(found->second.mapped, found->second.mapped_bytes);
  ranges_.erase(found);
  count_.store(ranges_.size(), std::memory_order_release);
}

bool borrowed_memories::has_range(const std::byte* first, std::uint64_t bytes) const noexcept {
  std::shared_lock lock(mutex_);
  const auto after = ranges_.upper_bound(first);
  if (after == ranges_.begin()) return false;
  const auto& [begin, r] = *std::prev(after);
  return first + bytes <= begin + r.bytes;
}

}  // namespace stretto::device
