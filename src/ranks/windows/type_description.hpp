// type_description.hpp - a datatype as numbers, by which another node makes an equal one.
//
// Threads     pure.
// Cost        O(runs of elements of one datatype).
// Invariants  the type that is made has the same data in the same order, and the same extent. It is one of single
//             elements if the original is, else one of bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

/// The predefined type of all elements, which may be a pair of a value and an index; null if they differ.
const datatype* element_type(const datatype& type);

std::vector<std::int64_t> description_of(const datatype& type);
/// A committed type.
datatype_ref described_type(std::span<const std::int64_t> description);

}  // namespace stretto::ranks
