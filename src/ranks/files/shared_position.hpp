// shared_position.hpp - the position that all ranks of a file share, in etypes.
//
// Threads     any.
#pragma once

#include <atomic>
#include <cstdint>

namespace stretto::ranks {

/// Its owner may be another node: every function may suspend the calling rank.
class shared_position {
 public:
  virtual ~shared_position() = default;

  virtual std::int64_t get() = 0;
  virtual void set(std::int64_t position) = 0;
  /// Moves by `etypes` and returns where it was.
  virtual std::int64_t advance(std::int64_t etypes) = 0;
};

/// Of ranks of one node.
class local_position final : public shared_position {
 public:
  std::int64_t get() override { return position_.load(std::memory_order_relaxed); }
  void set(std::int64_t position) override { position_.store(position, std::memory_order_relaxed); }
  std::int64_t advance(std::int64_t etypes) override { return position_.fetch_add(etypes, std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> position_ = 0;
};

}  // namespace stretto::ranks
