// kept_heap.hpp - keeps freed heap memory in the process, for later allocations.
//
// The C library returns the top of its heap to the system as soon as some hundred KiB of it are free. It maps large
// blocks one by one, until the program has freed such blocks. If a program sends messages of a megabyte, each message
// then causes a page fault for each of its pages, which takes longer than the transfer. keep_heap sets the thresholds
// that the C library adapts to by itself once a program has freed blocks of 32 MiB.
//
// Threads     any; affects the whole process. A process that is a node of a job calls it (process_endpoint.cpp).
// Cost        two calls; each arena of the C library keeps up to `bytes` of free memory.
#pragma once

#include <cstdint>

namespace stretto::base {

/// Returns whether the thresholds were set. They are not if `bytes` is 0, or if the environment configures the C
/// library's heap: MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_, or tunables of malloc in GLIBC_TUNABLES.
bool keep_heap(std::uint64_t bytes) noexcept;

}  // namespace stretto::base
