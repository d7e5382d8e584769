// kept_heap.hpp - what a program frees stays with its heap, to be given out again.
//
// The C library gives the top of its heap back to the system as soon as some hundred KiB of it are free, and maps large
// blocks one by one, until it has seen such blocks freed. Where arguments of a megabyte come and go, that is a fault
// for each page of each message, which takes longer than to send it. keep_heap sets the thresholds that the C library's
// own adaptation reaches once a program has freed blocks of 32 MiB.
//
// Threads     any; concerns all of the process.
// Cost        two calls; up to `bytes` of each of the C library's arenas that are free and not the system's.
#pragma once

#include <cstdint>

namespace stretto::base {

/// Whether it is so from now on. Not where `bytes` are 0, nor where the environment has settings of the C library's
/// heap: MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_, or tunables of malloc in GLIBC_TUNABLES.
bool keep_heap(std::uint64_t bytes) noexcept;

}  // namespace stretto::base
