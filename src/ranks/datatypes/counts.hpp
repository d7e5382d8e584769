// counts.hpp - the numbers that constructors of datatypes are given.
#pragma once

#include <cstdint>
#include <span>

namespace stretto::ranks {

/// Which of MPI's functions was called: that decides where MPI_Type_get_contents returns counts.
enum class count_kind : std::uint8_t { normal, large };

using counts = std::span<const std::int64_t>;

}  // namespace stretto::ranks
