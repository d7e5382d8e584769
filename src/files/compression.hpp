// compression.hpp - zstd and gzip, through the libraries of the machine, which are looked for when they are needed first.
//
// Threads     any.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stretto::files {

/// Throw F06 where there is no library. Nothing: what is given is no such stream, or it does not hold that many bytes.
std::vector<std::byte> compressed_by_zstd(std::span<const std::byte> content);
std::optional<std::vector<std::byte>> expanded_by_zstd(std::span<const std::byte> stream, std::size_t bytes);
std::optional<std::vector<std::byte>> expanded_by_gzip(std::span<const std::byte> stream, std::size_t bytes);

}  // namespace stretto::files
