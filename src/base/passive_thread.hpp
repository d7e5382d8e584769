// passive_thread.hpp - marks threads of the library that only observe, so that the hang detector does not count them
// among the threads that may still act.
//
// Threads     any.
#pragma once

#include <atomic>
#include <cstdint>

namespace stretto::base {

/// Lives on a thread that ends no event and makes no task ready, from its start to its end.
class passive_thread {
 public:
  passive_thread() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }
  passive_thread(const passive_thread&) = delete;
  ~passive_thread() { count_.fetch_sub(1, std::memory_order_seq_cst); }

  static std::uint32_t count() noexcept { return count_.load(std::memory_order_seq_cst); }

  /// In a forked child, which has no such thread.
  static void begin_anew() noexcept { count_.store(0, std::memory_order_seq_cst); }

 private:
  static inline std::atomic<std::uint32_t> count_{0};
};

}  // namespace stretto::base
