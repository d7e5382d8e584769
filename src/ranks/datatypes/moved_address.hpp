// moved_address.hpp - addresses at displacements, which MPI counts from MPI_BOTTOM as well as from an object.
//
// Threads     pure.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto::ranks {

/// The address `bytes` behind another one, which may be null. Pointers must not be moved out of their objects; numbers
/// may.
inline std::byte* moved(const void* address, std::int64_t bytes) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(address) + static_cast<std::uintptr_t>(bytes));
}

}  // namespace stretto::ranks
