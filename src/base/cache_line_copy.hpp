// cache_line_copy.hpp - copies bytes that two processes of a host exchange, cache line by cache line.
//
// A cache line that one core writes and another reads moves from core to core, and back for the next write. If the
// cores share no near cache, that takes many times as long as a transfer through memory. If the source is in no cache,
// the string instructions that memcpy uses for many bytes are slow when source and target are aligned differently
// within their lines (docs/adr/0075).
//
// Threads     pure. A thread that sees a later release store of this thread also sees the copied bytes.
// Cost        that of memory accesses. For data that the same core reads soon, std::memcpy is faster.
#pragma once

#include <cstddef>

namespace stretto::base {

/// For data that another core will read. Uses non-temporal stores, which bypass the caches of this core.
void copy_nontemporal(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

/// For data that another core has written. Uses plain loads and stores of whole cache lines.
void copy_by_lines(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace stretto::base
