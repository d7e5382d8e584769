// pending_launches.hpp - queue of launches and host tasks that the program has made and that are not in the graphs yet.
//
// Threads     one producer (the holder of `submission_mutex`) and one consumer (the holder of the buffers),
//             concurrently.
// Cost        push, pop: a load, and a store that the other side reads.
// Memory      64 entries; values of more than 48 bytes are on the heap.
#pragma once

#include <stretto/buffer.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "buffers/launch_cache.hpp"
#include "device/argument_copy.hpp"
#include "sched/finish_scope.hpp"

namespace stretto::buffers {

/// A launch with everything that its submission needs.
struct pending_launch {
  std::shared_ptr<cached_launch> is = {};
  const kernel_code* code = nullptr;  // a kernel,
  detail::host_function host = {};    // or the function of a host task
  std::optional<device::argument_copy> values = {};
  kernel_range range{box()};
  detail::task_request request = {};     // placement and priority, without preconditions
  event first = {};                      // the preconditions
  user_event done = {};                  // the event that the call has returned
  sched::finish_scope* scope = nullptr;  // the finish scope that already counts it
};

class pending_launches {
 public:
  static constexpr std::uint64_t most = 64;

  // For the producer.
  bool is_full() const noexcept {
    return pushed_.load(std::memory_order_relaxed) - popped_.load(std::memory_order_acquire) == most;
  }
  /// The next free slot; push() then enqueues it. Requires !is_full().
  pending_launch& next_slot() noexcept { return all_[pushed_.load(std::memory_order_relaxed) % most]; }
  void push() noexcept { pushed_.fetch_add(1, std::memory_order_seq_cst); }

  // For the consumer.
  /// The oldest entry, or null. It stays valid until pop().
  pending_launch* oldest() noexcept {
    const std::uint64_t n = popped_.load(std::memory_order_relaxed);
    return n == pushed_.load(std::memory_order_seq_cst) ? nullptr : &all_[n % most];
  }
  void pop() noexcept { popped_.store(popped_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  // For both.
  std::uint64_t pushed_count() const noexcept { return pushed_.load(std::memory_order_acquire); }
  std::uint64_t popped_count() const noexcept { return popped_.load(std::memory_order_acquire); }
  bool is_empty() const noexcept {
    return popped_.load(std::memory_order_seq_cst) == pushed_.load(std::memory_order_seq_cst);
  }

  std::mutex submission_mutex;             // held by the call that submits; locked before the buffers
  std::atomic<bool> has_consumer = false;  // a task submits the entries, or is about to
  std::uint32_t new_launch_ns = 0;         // ns to submit a new launch; accessed by atomic_ref

 private:
  const std::unique_ptr<pending_launch[]> all_ = std::make_unique<pending_launch[]>(most);
  alignas(base::cache_line) std::atomic<std::uint64_t> pushed_{0};
  alignas(base::cache_line) std::atomic<std::uint64_t> popped_{0};
};

}  // namespace stretto::buffers
