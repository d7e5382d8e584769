#include <stretto_shmem/comparison.hpp>

#include <atomic>
#include <cstdio>

namespace stretto::shmem {
namespace {

std::uint64_t extended(std::uint64_t bits, const condition& c) noexcept {
  if (c.bytes == 8 || !c.is_signed) return bits;
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)));
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

std::uint64_t condition::read() const noexcept {
  const std::uint64_t bits =
      bytes == 8 ? *static_cast<const volatile std::uint64_t*>(at) : *static_cast<const volatile std::uint32_t*>(at);
  std::atomic_thread_fence(std::memory_order_acquire);
  return bits;
}

bool condition::holds_for(std::uint64_t bits) const noexcept {
  return compare(extended(bits, *this), how, value, is_signed);
}

std::string value_text(const condition& c, std::uint64_t bits) {
  const std::uint64_t value = extended(bits, c);
  return c.is_signed ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value);
}

std::string to_string(const condition& c) {
  constexpr const char* signs[] = {"==", "!=", ">", ">=", "<", "<="};
  char address[32];
  std::snprintf(address, sizeof address, "*%p ", const_cast<const void*>(c.at));
  return address + std::string(signs[static_cast<int>(c.how)]) + " " + value_text(c, c.value);
}

}  // namespace stretto::shmem
