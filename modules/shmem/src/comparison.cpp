#include <stretto_shmem/comparison.hpp>

#include <atomic>

namespace stretto::shmem {
namespace {

std::uint64_t read(const condition& c) noexcept {
  if (c.bytes == 8) return *static_cast<const volatile std::uint64_t*>(c.at);
  const std::uint32_t bits = *static_cast<const volatile std::uint32_t*>(c.at);
  // A signed value is compared with one that was extended by its sign.
  return c.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits))) : bits;
}

bool is_less(std::uint64_t a, std::uint64_t b, bool is_signed) noexcept {
  return is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
}

bool compare(std::uint64_t a, comparison how, std::uint64_t b, bool is_signed) noexcept {
  switch (how) {
    case comparison::equal: return a == b;
    case comparison::not_equal: return a != b;
    case comparison::greater: return is_less(b, a, is_signed);
    case comparison::at_least: return !is_less(a, b, is_signed);
    case comparison::less: return is_less(a, b, is_signed);
    case comparison::at_most: return !is_less(b, a, is_signed);
  }
  return false;
}

}  // namespace

bool condition::holds() const noexcept {
  if (!compare(read(*this), how, value, is_signed)) return false;
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

}  // namespace stretto::shmem
