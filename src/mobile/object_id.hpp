// object_id.hpp - ids of mobile objects: the number of the node that made the object, and a count on that node.
//
// The objects of a collection have consecutive ids.
//
// Threads     Values.
#pragma once

#include <cstdint>

#include "base/numbers.hpp"

namespace stretto::mobiles {

/// A mobile object of the job; 0: none.
enum class object_id : std::uint64_t {};

inline constexpr unsigned object_count_bits = 48;

/// The id of the object that node number `node` makes as the `count`-th, counted from 1.
constexpr object_id id_of(std::uint16_t node, std::uint64_t count) noexcept {
  return object_id{std::uint64_t{node} << object_count_bits | count};
}
/// The number of the node that made the object.
constexpr std::uint16_t maker_of(object_id id) noexcept {
  return static_cast<std::uint16_t>(base::value_of(id) >> object_count_bits);
}
constexpr std::uint64_t count_of(object_id id) noexcept {
  return base::value_of(id) & ((std::uint64_t{1} << object_count_bits) - 1);
}

/// The id `index` places behind `first`.
constexpr object_id id_after(object_id first, std::uint64_t index) noexcept {
  return object_id{base::value_of(first) + index};
}
/// The distance of `id` to `first`.
constexpr std::uint64_t index_of(object_id id, object_id first) noexcept {
  return base::value_of(id) - base::value_of(first);
}

}  // namespace stretto::mobiles
