// comparison.hpp - conditions on an element of symmetric memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto::shmem {

enum class comparison : std::uint8_t { equal, not_equal, greater, at_least, less, at_most };

/// `*at how value`, of an integer of this size.
struct condition {
  const volatile void* at;
  std::uint8_t bytes;
  bool is_signed;
  comparison how;
  std::uint64_t value;

  /// Reads the element now. If true, puts that came ahead of it are visible.
  bool holds() const noexcept;
};

}  // namespace stretto::shmem
