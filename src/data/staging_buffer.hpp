// staging_buffer.hpp - host memory for elements in transfer between nodes that cannot be sent or received in place.
//
// The pool is page-locked like the runtime's main memory, so devices copy directly to and from it. Buffers are reused:
// fresh memory costs a page fault per page, which takes longer than the copy. Larger requests use the system's heap.
//
// Threads     any; the bytes of a buffer belong to its owner.
// Cost        one lock and constant work.
// Invariants  (1) all buffers are freed before the runtime's devices are closed.
// Source      staging through a page-locked pool: PREMA's heterogeneous tasking.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "data/memory_space.hpp"

namespace stretto::data {

class staging_memory {
 public:
  static constexpr std::uint64_t most_bytes = 64 << 20;

  /// Page-locks the first `locked_bytes` for these devices, as they come into use.
  staging_memory(std::vector<device::device*> faster, std::uint64_t locked_bytes);

 private:
  friend class staging_buffer;
  memory_space space_;
};

/// Aligned for all element types. Neither copied nor moved.
class staging_buffer {
 public:
  staging_buffer(std::shared_ptr<staging_memory> from, std::size_t bytes);
  staging_buffer(const staging_buffer&) = delete;
  ~staging_buffer();

  std::byte* data() const noexcept { return first_; }
  std::size_t size() const noexcept { return size_; }

 private:
  const std::shared_ptr<staging_memory> of_;
  block* const held_;  // null: from the heap
  std::byte* const first_;
  const std::size_t size_;
};

}  // namespace stretto::data
