// all_on.hpp - collections whose elements are all made on one node, so that there is something to balance.
#pragma once

#include <stretto/collection.hpp>

#include <cstddef>
#include <cstdint>

namespace stretto::test {

inline auto all_on(std::uint32_t node) {
  return placed([node](std::size_t, std::size_t, std::uint32_t) { return node; });
}

}  // namespace stretto::test
