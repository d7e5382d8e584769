// futex.hpp - lets a thread sleep while an atomic word has a value.
//
// Threads     any. Wake-ups may be spurious: the caller checks again.
// Cost        a system call each; 14 us from wake to running on a virtual machine.
#pragma once

#include <atomic>
#include <cstdint>

namespace stretto::base {

/// Sleeps while `word` is `value`. Errno remains.
void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;
/// The same, but no longer than `nanoseconds`.
void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t nanoseconds) noexcept;
/// Wakes one sleeper.
void futex_wake(std::atomic<std::uint32_t>& word) noexcept;
/// Wakes all sleepers.
void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept;
/// Stores and wakes all. The word may be freed as soon as the store is visible: the kernel tolerates that.
void futex_store_and_wake(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept;

}  // namespace stretto::base
