// block_pool.hpp - fixed-size blocks recycled per thread, balanced between threads in batches.
//
// A block freed by another thread than the one that allocates would pile up there; so a thread's list that
// grows past two batches hands one batch to the shared pool, and an empty one takes a batch from it. The larger the
// blocks, the fewer are in a batch, so that threads do not hoard memory.
//
// Threads     block_pool: any. block_cache: its owner thread only.
// Cost        allocate and free: a few instructions; once per batch, one lock on the pool.
// Invariants  blocks are aligned to 64 bytes and zero when new. A pool that recycles frees its memory only when it is
//             destroyed.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

namespace stretto::base {

struct free_block {
  free_block* next;
  free_block* next_batch;
  std::size_t count;
};

/// The blocks of one size of a runtime.
class block_pool {
 public:
  /// Without `recycles` each block is allocated from the system and freed to it: for measurements, and for tools that
  /// find uses of freed blocks. Not allowed if a thread may read a free block.
  explicit block_pool(std::size_t block_bytes, bool recycles = true)
      : block_bytes_(block_bytes), batch_(recycles ? batch_of(block_bytes) : 1), recycles_(recycles) {}
  block_pool(const block_pool&) = delete;
  ~block_pool();

  /// Resets a pool that is never destroyed, in a forked child (process_wide.hpp). Its free blocks are leaked.
  static void reset_in_child(void* of) noexcept;

  /// A list of at least one block; new memory if the pool is empty. Throws std::bad_alloc.
  free_block* take_batch(std::size_t& count);
  void give_batch(free_block* list, std::size_t count) noexcept;

  std::size_t block_bytes() const noexcept { return block_bytes_; }
  /// Bytes obtained from the system so far.
  std::size_t footprint() const noexcept { return footprint_.load(std::memory_order_relaxed); }

  /// Blocks that a thread takes or returns at once.
  std::size_t batch() const noexcept { return batch_; }
  /// Free blocks that one thread may keep before it returns some.
  std::size_t most_per_thread() const noexcept { return recycles_ ? 2 * batch_ : 1; }

 private:
  static constexpr std::size_t most_in_batch = 64, most_batch_bytes = 64 << 10;
  static constexpr std::size_t batch_of(std::size_t block_bytes) noexcept {
    return std::clamp<std::size_t>(most_batch_bytes / block_bytes, 1, most_in_batch);
  }

  const std::size_t block_bytes_, batch_;
  const bool recycles_;
  std::mutex mutex_;
  free_block* batches_ = nullptr;
  std::vector<void*> chunks_;
  std::size_t next_chunk_blocks_ = batch_;
  std::atomic<std::size_t> footprint_{0};
};

/// The free blocks of one thread.
class block_cache {
 public:
  block_cache() = default;
  explicit block_cache(block_pool& pool) { draw_from(pool); }
  block_cache(const block_cache&) = delete;
  ~block_cache() { flush(); }

  void* allocate() {
    if (!list_) [[unlikely]]
      refill();
    free_block* block = list_;
    list_ = block->next;
    --count_;
    return block;
  }

  /// Null if that would need the pool.
  void* try_allocate() noexcept {
    free_block* block = list_;
    if (block) [[likely]] {
      list_ = block->next;
      --count_;
    }
    return block;
  }

  void free(void* memory) noexcept {
    auto* block = static_cast<free_block*>(memory);
    block->next = list_;
    list_ = block;
    if (++count_ >= most_) [[unlikely]]
      spill();
  }

  /// For one that was made without a pool. Required before anything else.
  void draw_from(block_pool& pool) noexcept {
    pool_ = &pool;
    most_ = pool.most_per_thread();
  }
  /// Gives everything back to the pool.
  void flush() noexcept;

 private:
  void refill();
  void spill() noexcept;

  free_block* list_ = nullptr;
  std::size_t count_ = 0, most_ = 0;
  block_pool* pool_ = nullptr;
};

}  // namespace stretto::base
