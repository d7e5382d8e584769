// object_pool.hpp - a process-wide pool for objects of one size that are made and destroyed often.
//
//     auto m = std::allocate_shared<message>(base::pool_allocator<message>());
//
// Threads     any; an object may be freed by another thread than its maker.
// Cost        a few instructions; once per batch, one lock (block_pool.hpp). The pool keeps its peak memory until the
//             process ends.
// Invariants  under an address or thread sanitizer the pool recycles nothing.
#pragma once

#include <cstddef>

#include "base/block_pool.hpp"
#include "base/config.hpp"
#include "base/process_wide.hpp"
#include "base/sanitizers.hpp"

namespace stretto::base {

template <std::size_t bytes>
class object_pool {
 public:
  static void* allocate() {
    if (block_cache* const cache = thread_cache()) [[likely]]
      return cache->allocate();
    std::size_t count = 0;
    free_block* const all = pool().take_batch(count);
    if (all->next && count > 1) pool().give_batch(all->next, count - 1);
    return all;
  }
  static void free(void* at) noexcept {
    if (block_cache* const cache = thread_cache()) [[likely]]
      return cache->free(at);
    auto* const block = static_cast<free_block*>(at);
    block->next = nullptr;
    pool().give_batch(block, 1);
  }

 private:
  static block_pool& pool() {
    const auto recycles = [] { return !address_sanitizer && !thread_sanitizer && !is_watched_alone(); };
    static block_pool& all =
        make_process_wide<block_pool>(block_pool::reset_in_child, (bytes + 63) / 64 * 64, recycles());
    return all;
  }
  static block_cache* thread_cache() { return known ? known : first_use(); }
  /// Null on a thread that is ending and has returned its blocks.
  [[gnu::noinline]] static block_cache* first_use() {
    static thread_local bool is_over = false;
    struct owned_cache {
      block_cache blocks{pool()};
      ~owned_cache() {
        is_over = true;
        known = nullptr;
      }
    };
    if (is_over) return nullptr;
    static thread_local owned_cache all;
    return known = &all.blocks;
  }

  /// The thread's, found without a call.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local block_cache* known = nullptr;
};

/// For allocate_shared, which allocates one object at a time.
template <class T>
struct pool_allocator {
  using value_type = T;
  pool_allocator() noexcept = default;
  template <class U>
  pool_allocator(const pool_allocator<U>&) noexcept {}
  T* allocate(std::size_t) { return static_cast<T*>(object_pool<sizeof(T)>::allocate()); }
  void deallocate(T* at, std::size_t) noexcept { object_pool<sizeof(T)>::free(at); }
  friend bool operator==(const pool_allocator&, const pool_allocator&) noexcept { return true; }
};

}  // namespace stretto::base
