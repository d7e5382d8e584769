// object_ids.hpp - the ids of barriers and reservations, the same on every node (object_table.hpp).
#pragma once

#include <cstdint>

namespace stretto::detail {

/// A barrier of any node; 0: none.
enum class barrier_id : std::uint64_t {};
/// A reservation of any node; 0: none.
enum class reservation_id : std::uint64_t {};

}  // namespace stretto::detail
