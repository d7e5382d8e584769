// address_space.hpp - how many addresses this process may still map (ulimit -v, RLIMIT_AS): where they are limited,
// whoever sets some aside takes a part of them, and leaves the rest for threads, stacks and the heap.
//
// Threads     any.
// Cost        a system call; where addresses are limited, a file of /proc, too. Allocates nothing.
#pragma once

#include <cstdint>

namespace stretto::base {

/// Addresses in bytes that may still be mapped; the largest number where nothing limits them.
std::uint64_t spare_addresses() noexcept;

/// `wanted`, or an eighth of the spare addresses where that is less.
std::uint64_t share_of_addresses(std::uint64_t wanted) noexcept;

/// Whether `bytes` more leave a sixteenth of the limit, without which the heap could not even grow for an error.
bool may_map(std::uint64_t bytes) noexcept;

}  // namespace stretto::base
