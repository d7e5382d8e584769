// futex.hpp - a thread sleeps while a word has a value.
//
// Threads     any. Wake-ups may be spurious: look again.
// Cost        a system call each; 14 us from wake to running on a virtual machine.
#pragma once

#include <atomic>
#include <cstdint>

namespace stretto::base {

/// Sleeps while `word` is `value`.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
/// The same, but no longer than `nanoseconds`.
void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t nanoseconds) noexcept;
/// Wakes one sleeper.
void futex_wake(std::atomic<std::uint32_t>& word) noexcept;
/// The same for all who wait.
void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept;
/// Stores and wakes all; the word may be gone as soon as the store is seen, which the kernel forgives.
void futex_store_and_wake(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;

}  // namespace stretto::base
