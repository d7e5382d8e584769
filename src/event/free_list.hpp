// free_list.hpp - free lists: each thread recycles nodes in a cache of its own, and threads exchange whole batches
// through a common stock. A free node keeps its data; base/block_pool.hpp, which does not need that, overwrites it.
//
// Threads     node_stock: any. node_cache: its owner thread only.
// Cost        pop and push: a few instructions; once per batch, one lock on the stock.
// Invariants  a cache has at most two batches: a thread that frees nodes of other threads returns batches to the stock.
#pragma once

#include <mutex>
#include <utility>

namespace stretto::detail {

/// Node: next_free, set_next_free, next_batch, set_next_batch.
template <class Node>
class node_stock {
 public:
  static constexpr unsigned batch = 64;

  /// Removes a list of `count` nodes, at least one, from the stock. If the stock is empty, make() returns a new batch.
  template <class Make>
  Node* take(unsigned& count, Make&& make) {
    std::scoped_lock lock(mutex_);
    if (Node* list = batches_) {
      batches_ = list->next_batch();
      count = batch;
      return list;
    }
    if (partial_batch_) {
      count = std::exchange(partial_count_, 0);
      return std::exchange(partial_batch_, nullptr);
    }
    Node* list = make();
    count = batch;
    return list;
  }

  /// Returns exactly one batch to the stock.
  void give(Node* list) noexcept {
    std::scoped_lock lock(mutex_);
    list->set_next_batch(batches_);
    batches_ = list;
  }

  /// Returns a list of any length to the stock, which divides it into batches.
  void give_partial(Node* list) noexcept {
    std::scoped_lock lock(mutex_);
    while (list) {
      Node* node = std::exchange(list, list->next_free());
      node->set_next_free(partial_batch_);
      partial_batch_ = node;
      if (++partial_count_ < batch) continue;
      node->set_next_batch(batches_);
      batches_ = node;
      partial_batch_ = nullptr;
      partial_count_ = 0;
    }
  }

 private:
  std::mutex mutex_;
  Node* batches_ = nullptr;
  Node* partial_batch_ = nullptr;
  unsigned partial_count_ = 0;
};

template <class Node>
class node_cache {
 public:
  explicit node_cache(node_stock<Node>& stock) noexcept : stock_(&stock) {}
  node_cache(const node_cache&) = delete;
  ~node_cache() { stock_->give_partial(list_); }

  template <class Make>
  Node* pop(Make&& make) {
    if (!list_) [[unlikely]]
      list_ = stock_->take(count_, make);
    Node* node = list_;
    list_ = node->next_free();
    __builtin_prefetch(list_, 1);
    --count_;
    return node;
  }

  void push(Node* node) noexcept {
    node->set_next_free(list_);
    list_ = node;
    if (++count_ >= 2 * node_stock<Node>::batch) [[unlikely]]
      spill();
  }

 private:
  [[gnu::noinline]] void spill() noexcept {
    Node* first = list_;
    Node* last = first;
    for (unsigned i = 1; i < node_stock<Node>::batch; ++i) last = last->next_free();
    list_ = last->next_free();
    last->set_next_free(nullptr);
    count_ -= node_stock<Node>::batch;
    stock_->give(first);
  }

  Node* list_ = nullptr;
  unsigned count_ = 0;
  node_stock<Node>* stock_;
};

}  // namespace stretto::detail
