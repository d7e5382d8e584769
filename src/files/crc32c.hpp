// crc32c.hpp - the checksum of Zarr's codec of that name.
//
// Threads     pure.
// Cost        about a nanosecond for two bytes.
// Source      Castagnoli's polynomial, as in RFC 3720; eight tables: Kounavis and Berry, "Slicing-by-8", 2005.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace stretto::files {

/// Of what `before` is the checksum of, with `bytes` behind it.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;
/// Zarr writes it behind what it is of, little endian.
inline constexpr std::size_t checksum_bytes = 4;
/// What the last four of at least four bytes say; 0 of fewer.
std::uint32_t checksum_at_end(std::span<const std::byte> bytes) noexcept;
/// "e3069283"
std::string checksum_text(std::uint32_t checksum);

}  // namespace stretto::files
