// round_number.hpp - the number of a round in which a node queries the others.
#pragma once

#include <cstdint>

namespace stretto::dist {

/// A round of queries, as the node that sends them counts; 0: none.
enum class round_number : std::uint64_t {};

}  // namespace stretto::dist
