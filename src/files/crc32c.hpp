// crc32c.hpp - the CRC-32C checksum, which Zarr's codec of that name uses.
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

/// The checksum of the data with checksum `before`, followed by `bytes`.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;
/// Zarr appends it to the data, in little endian.
inline constexpr std::size_t checksum_bytes = 4;
/// The checksum stored in the last four bytes; 0 for fewer than four.
std::uint32_t checksum_at_end(std::span<const std::byte> bytes) noexcept;
/// "e3069283"
std::string checksum_text(std::uint32_t checksum);

}  // namespace stretto::files
