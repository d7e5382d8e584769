// cache_line_copy.hpp - copies between processes of a host, cache line by cache line.
//
// A cache line that one core writes and another reads moves from core to core, and back for the next write. If the
// cores share no near cache, that takes many times as long as a transfer through memory. If the source is in no cache,
// the string instructions that memcpy uses for many bytes are slow when source and target are aligned differently
// within their lines (docs/adr/0075).
//
// Threads     pure. A thread that sees a later release store sees the copied bytes.
// Cost        of memory, not of a cache: for what is read soon by the same core std::memcpy is the better one.
#pragma once

#include <cstddef>

namespace stretto::base {

/// For data that another core reads: non-temporal stores, which bypass the caches of this core.
void copy_nontemporal(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

/// For data that another core has written: plain loads and stores.
void copy_by_lines(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace stretto::base
