#include "base/block_pool.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace stretto::base {

namespace {
constexpr std::align_val_t block_alignment{64};
constexpr std::size_t largest_chunk_bytes = 1 << 20;
}  // namespace

block_pool::~block_pool() {
  for (void* chunk : chunks_) ::operator delete(chunk, block_alignment);
}

void block_pool::reset_in_child(void* of) noexcept {
  auto& pool = *static_cast<block_pool*>(of);
  std::construct_at(&pool.mutex_);
  std::construct_at(&pool.chunks_);
  pool.batches_ = nullptr;
}

free_block* block_pool::take_batch(std::size_t& count) {
  if (!recycles_) {
    void* const one = ::operator new(block_bytes_, block_alignment);
    std::memset(one, 0, block_bytes_);
    footprint_.fetch_add(block_bytes_, std::memory_order_relaxed);
    count = 1;
    return static_cast<free_block*>(one);
  }
  std::scoped_lock lock(mutex_);
  if (free_block* list = batches_) {
    batches_ = list->next_batch;
    count = list->count;
    return list;
  }
  // Chunks double, so that an idle runtime stays small and a busy one allocates rarely.
  const std::size_t blocks = next_chunk_blocks_;
  chunks_.reserve(chunks_.size() + 1);
  auto* chunk = static_cast<std::byte*>(::operator new(blocks * block_bytes_, block_alignment));
  std::memset(chunk, 0, blocks * block_bytes_);
  chunks_.push_back(chunk);
  footprint_.fetch_add(blocks * block_bytes_, std::memory_order_relaxed);
  next_chunk_blocks_ = std::max(batch_, std::min(2 * blocks, largest_chunk_bytes / block_bytes_ / batch_ * batch_));

  const auto carve = [&](std::size_t first) {
    free_block* list = nullptr;
    for (std::size_t i = first + batch_; i-- > first;) {
      auto* block = reinterpret_cast<free_block*>(chunk + i * block_bytes_);
      block->next = list;
      list = block;
    }
    return list;
  };
  for (std::size_t first = batch_; first < blocks; first += batch_) {
    free_block* list = carve(first);
    list->count = batch_;
    list->next_batch = batches_;
    batches_ = list;
  }
  count = batch_;
  return carve(0);
}

void block_pool::give_batch(free_block* list, std::size_t count) noexcept {
  if (!recycles_) {
    while (list) {
      ::operator delete(std::exchange(list, list->next), block_alignment);
      footprint_.fetch_sub(block_bytes_, std::memory_order_relaxed);
    }
    return;
  }
  list->count = count;
  std::scoped_lock lock(mutex_);
  list->next_batch = batches_;
  batches_ = list;
}

void block_cache::refill() { list_ = pool_->take_batch(count_); }

void block_cache::spill() noexcept {
  const std::size_t batch = pool_->batch();
  free_block* first = list_;
  free_block* last = first;
  for (std::size_t i = 1; i < batch; ++i) last = last->next;
  list_ = last->next;
  last->next = nullptr;
  count_ -= batch;
  pool_->give_batch(first, batch);
}

void block_cache::flush() noexcept {
  if (list_) pool_->give_batch(list_, count_);
  list_ = nullptr;
  count_ = 0;
}

}  // namespace stretto::base
