// compression.hpp - zstd and gzip, through libraries of the system that are loaded on first use.
//
// Threads     any.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stretto::files {

/// Throw F06 if the library is missing. `expanded_*` return nothing if the input is not such a stream, or does not
/// expand to exactly `bytes` bytes.
std::vector<std::byte> compressed_by_zstd(std::span<const std::byte> content);
std::optional<std::vector<std::byte>> expanded_by_zstd(std::span<const std::byte> stream, std::size_t bytes);
std::optional<std::vector<std::byte>> expanded_by_gzip(std::span<const std::byte> stream, std::size_t bytes);

}  // namespace stretto::files
