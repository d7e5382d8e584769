// cache_line_copy.hpp - copies between processes of a host, line by line: out to memory, and from there.
//
// Lines that one core has written and another reads go from core to core, and back when they are written again. Where
// these cores share no cache but a distant one that takes many times as long as by way of memory. And where what is
// read is in no cache, the string moves that memcpy takes for many bytes are slow if source and target lie differently
// within their lines (docs/adr/0075).
//
// Threads     pure. A thread that sees a later release store sees the copied bytes.
// Cost        of memory, not of a cache: for what is read soon by the same core std::memcpy is the better one.
#pragma once

#include <cstddef>

namespace stretto::base {

/// For another core to read: past the caches of this one.
void copy_nontemporal(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

/// Of what another core has written, to wherever it shall be: by plain loads and stores.
void copy_by_lines(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace stretto::base
