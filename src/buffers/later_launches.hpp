// later_launches.hpp - launches and host tasks that the program has said and that are not in the graphs yet, in their order.
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

#include "buffers/known_launches.hpp"
#include "device/argument_copy.hpp"
#include "sched/finish_scope.hpp"

namespace stretto::buffers {

/// What was said once, and all that the call would have had by the time it comes into the graphs.
struct later_launch {
  std::shared_ptr<known_launch> is = {};
  const kernel_code* code = nullptr;       // of a kernel;
  detail::host_function host = {};         // or the function of a host task
  std::optional<device::argument_copy> values = {};
  kernel_range range{box()};
  detail::task_request request = {};       // where and how urgent; without preconditions
  event first = {};                        // those
  user_event done = {};                    // what the caller was given
  sched::finish_scope* scope = nullptr;    // in which it is counted, once already
};

class later_launches {
 public:
  static constexpr std::uint64_t most = 64;

  // By who adds.
  bool is_full() const noexcept { return added_.load(std::memory_order_relaxed) - taken_.load(std::memory_order_acquire) == most; }
  /// Where the next is written; then added() makes it one of these. Requires !is_full().
  later_launch& next() noexcept { return all_[added_.load(std::memory_order_relaxed) % most]; }
  void added() noexcept { added_.fetch_add(1, std::memory_order_seq_cst); }

  // By who takes.
  /// The oldest, or null. It stays until took().
  later_launch* oldest() noexcept {
    const std::uint64_t n = taken_.load(std::memory_order_relaxed);
    return n == added_.load(std::memory_order_seq_cst) ? nullptr : &all_[n % most];
  }
  void took() noexcept { taken_.store(taken_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }

  // Any.
  std::uint64_t added_so_far() const noexcept { return added_.load(std::memory_order_acquire); }
  std::uint64_t taken_so_far() const noexcept { return taken_.load(std::memory_order_acquire); }
  bool is_empty() const noexcept { return taken_.load(std::memory_order_seq_cst) == added_.load(std::memory_order_seq_cst); }

  std::mutex saying;                  // who says what comes next; taken before the buffers are held
  std::atomic<bool> is_taken = false; // a task takes them, or is about to
  std::uint32_t first_takes = 0;      // ns to generate a new launch; atomic_ref

 private:
  const std::unique_ptr<later_launch[]> all_ = std::make_unique<later_launch[]>(most);
  alignas(base::cache_line) std::atomic<std::uint64_t> added_{0};
  alignas(base::cache_line) std::atomic<std::uint64_t> taken_{0};
};

}  // namespace stretto::buffers
