// external32.hpp - data of datatypes in MPI's portable representation.
//
// Threads     the caller's.
// Cost        element by element, except for bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

/// Bytes of `count` elements in external32.
std::int64_t external_size(const datatype& type, std::int64_t count);

/// Appends the data of `count` elements to `external` at `position`, which moves behind them.
///
///   throws   call_error: truncate, if the data does not fit; conversion, if a value is too large for external32
void pack_external(const datatype& type, const void* elements, std::int64_t count, std::span<std::byte> external,
                   std::int64_t& position);

/// Reads the data of `count` elements from `external` at `position`, which moves behind them.
///
///   throws   call_error: truncate, if `external` ends before; conversion, if a value is too large for its type
void unpack_external(const datatype& type, void* elements, std::int64_t count, std::span<const std::byte> external,
                     std::int64_t& position);

}  // namespace stretto::ranks
