// packed_data.hpp - data of datatypes as consecutive bytes in the representation of this machine.
//
// Threads     the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ranks/datatypes/datatype.hpp"

namespace stretto::ranks {

/// Appends the data of `count` elements to `packed` at `position`, which moves behind them.
///
///   type     committed
///   throws   call_error: truncate, if the data does not fit
void pack(const datatype& type, const void* elements, std::int64_t count, std::span<std::byte> packed,
          std::int64_t& position);

/// Reads the data of `count` elements from `packed` at `position`, which moves behind them.
///
///   type     committed
///   throws   call_error: truncate, if `packed` ends before
void unpack(const datatype& type, void* elements, std::int64_t count, std::span<const std::byte> packed,
            std::int64_t& position);

/// Throws call_error of the class truncate unless `bytes` from `position` on lie in `size` bytes.
void check_space(std::int64_t bytes, std::int64_t position, std::size_t size);

/// Copies `count` elements to elements of another type; returns the bytes. The target's type may be longer.
std::int64_t copy_elements(const datatype& target, void* to, std::int64_t to_count, const datatype& source,
                           const void* from, std::int64_t from_count);

}  // namespace stretto::ranks
