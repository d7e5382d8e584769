// pending_launches.hpp - launches and host tasks that the program has said and that are not in the graphs yet, in their order.
//
// Threads     one adds (who holds `saying`), one takes (who holds the buffers); they may be two at once.
// Cost        add, take: a load and a store that the other side reads.
// Memory      64 of them; values of more than 48 bytes lie in the heap.
#pragma once

#include <stretto/buffer.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "buffers/launch_cache.hpp"
#include "device/kept_values.hpp"
#include "sched/finish_scope.hpp"

namespace stretto::buffers {

/// What was said once, and all that the call would have had by the time it comes into the graphs.
struct pending_launch {
  std::shared_ptr<cached_launch> is = {};
  const kernel_code* code = nullptr;       // of a kernel;
  detail::host_function host = {};         // or the function of a host task
  std::optional<device::kept_values> values = {};
  kernel_range range{box()};
  detail::task_request request = {};       // where and how urgent; without preconditions
  event first = {};                        // those
  user_event done = {};                    // what the caller was given
  sched::finish_scope* scope = nullptr;    // in which it is counted, once already
};

class pending_launches {
 public:
  static constexpr std::uint64_t most = 64;

  // By who adds.
  bool is_full() const noexcept { return pushed_.load(std::memory_order_relaxed) - popped_.load(std::memory_order_acquire) == most; }
  /// Where the next is written; then added() makes it one of these. Requires !is_full().
  pending_launch& next_slot() noexcept { return all_[pushed_.load(std::memory_order_relaxed) % most]; }
  void push() noexcept { pushed_.fetch_add(1, std::memory_order_seq_cst); }

  // By who takes.
  /// The oldest, or null. It stays until took().
  pending_launch* oldest() noexcept {
    const std::uint64_t n = popped_.load(std::memory_order_relaxed);
    return n == pushed_.load(std::memory_order_seq_cst) ? nullptr : &all_[n % most];
  }
  void pop() noexcept { popped_.store(popped_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  // Any.
  std::uint64_t pushed_count() const noexcept { return pushed_.load(std::memory_order_acquire); }
  std::uint64_t popped_count() const noexcept { return popped_.load(std::memory_order_acquire); }
  bool is_empty() const noexcept { return popped_.load(std::memory_order_seq_cst) == pushed_.load(std::memory_order_seq_cst); }

  std::mutex submission_mutex;                  // who says what comes next; taken before the buffers are held
  std::atomic<bool> has_consumer = false; // a task takes them, or is about to
  std::uint32_t new_launch_ns = 0;      // ns to generate a new launch; atomic_ref

 private:
  const std::unique_ptr<pending_launch[]> all_ = std::make_unique<pending_launch[]>(most);
  alignas(base::cache_line) std::atomic<std::uint64_t> pushed_{0};
  alignas(base::cache_line) std::atomic<std::uint64_t> popped_{0};
};

}  // namespace stretto::buffers
