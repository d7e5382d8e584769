// all_on.hpp - collections whose elements are all made on one node, as an input of balancing.
#pragma once

#include <stretto/collection.hpp>

#include <cstddef>
#include <cstdint>

namespace stretto::test {

inline auto all_on(std::uint32_t node) {
  return placed([node](std::size_t, std::size_t, std::uint32_t) { return node; });
}

}  // namespace stretto::test
