#include "base/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "base/config.hpp"
#include "base/kept_errno.hpp"

namespace stretto::base {
namespace {

/// ThreadSanitizer delays a signal until the thread makes a call that it intercepts. A futex call is not intercepted,
/// and the kernel restarts it after a signal. Each sleep is therefore short.
constexpr std::int64_t longest_sleep = 50'000'000;
[[maybe_unused]] void let_handlers_run() noexcept { usleep(0); }

}  // namespace

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  const kept_errno kept;
  if constexpr (thread_sanitizer) futex_wait_for(word, value, longest_sleep);
  else syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futex_wait_for(std::atomic<std::uint32_t>& word, std::uint32_t value, std::int64_t nanoseconds) noexcept {
  const kept_errno kept;
  if constexpr (thread_sanitizer) nanoseconds = std::min(nanoseconds, longest_sleep);
  const timespec at_most{static_cast<time_t>(nanoseconds / 1'000'000'000),
                         static_cast<long>(nanoseconds % 1'000'000'000)};
  const auto woken =
      syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, value, &at_most, nullptr, 0);
  if constexpr (thread_sanitizer)
    if (woken != 0) let_handlers_run();
}

void futex_wake(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void futex_wake_all(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void futex_store_and_wake(std::atomic<std::uint32_t>& word, std::uint32_t value) noexcept {
  auto* address = reinterpret_cast<std::uint32_t*>(&word);
  word.store(value, std::memory_order_release);
  syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace stretto::base
