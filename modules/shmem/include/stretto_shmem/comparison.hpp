// comparison.hpp - conditions on an element of symmetric memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace stretto::shmem {

enum class comparison : std::uint8_t { equal, not_equal, greater, at_least, less, at_most };

/// `*at how value`, of an integer of this size.
struct condition {
  const volatile void* at;
  std::uint8_t bytes;  // 4 or 8
  bool is_signed;
  comparison how;
  std::uint64_t value;  // extended by its sign if it has one

  /// The bits of the element now; behind them zeros. Puts that came ahead of this value are visible.
  std::uint64_t read() const noexcept;
  /// Whether the condition holds if the element has these bits.
  bool holds_for(std::uint64_t bits) const noexcept;
};

/// "*0x7f2c40 == 1"
std::string to_string(const condition& c);
/// The value of an element with these bits, of the type of the condition.
std::string value_text(const condition& c, std::uint64_t bits);

}  // namespace stretto::shmem
