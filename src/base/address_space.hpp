// address_space.hpp - how many addresses this process may still map (ulimit -v, RLIMIT_AS). If they are limited, a
// reservation takes a part of them and leaves the rest for threads, stacks and the heap.
//
// Threads     any.
// Cost        a system call; with a limit also a read of a file in /proc. Allocates nothing.
#pragma once

#include <cstdint>

namespace stretto::base {

/// Addresses in bytes that may still be mapped; the largest number if there is no limit.
std::uint64_t spare_addresses() noexcept;

/// `wanted`, or an eighth of the spare addresses if that is less.
std::uint64_t share_of_addresses(std::uint64_t wanted) noexcept;

/// Whether `bytes` more leave a sixteenth of the limit, without which the heap could not even grow for an error.
bool may_map(std::uint64_t bytes) noexcept;

}  // namespace stretto::base
