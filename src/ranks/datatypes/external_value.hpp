// external_value.hpp - values of basic types in the representation external32: big endian, with sizes of its own.
//
// Threads     pure.
// Source      MPI 4.1, section 14.5.2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ranks/datatypes/basic_type.hpp"

namespace stretto::ranks {

/// Writes `count` adjacent values as external32. Returns false if a value cannot be represented.
bool to_external(const basic_type& type, const std::byte* values, std::int64_t count, std::byte* external);

/// Reads `count` values. Returns false if one cannot be represented.
bool from_external(const basic_type& type, const std::byte* external, std::int64_t count, std::byte* values);

}  // namespace stretto::ranks
