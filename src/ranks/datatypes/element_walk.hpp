// element_walk.hpp - visits the basic elements of a datatype in the order of its type map, runs of equal ones at once.
//
// Threads     pure.
// Cost        one call for each run.
#pragma once

#include <cstdint>

#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

/// Calls `visit(basic, offset, count)` for runs of `count` adjacent elements that begin at `offset` bytes.
template <typename Visit>
void walk_elements(const datatype& type, std::int64_t count, std::int64_t offset, const Visit& visit) {
  if (const basic_type* basic = type.basic()) return visit(*basic, offset, count);
  const type_map& map = type.map();
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t element = offset + i * type.extent();
    for (std::int64_t j = 0; j < map.count; ++j) {
      for (const type_block& block : map.blocks) {
        walk_elements(*block.type, block.length, element + j * map.stride + block.displacement, visit);
      }
    }
  }
}

}  // namespace stretto::ranks
