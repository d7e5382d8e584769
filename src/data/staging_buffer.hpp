// passing_bytes.hpp - memory of the host for elements on their way between nodes, where they cannot go straight from or to their place.
//
// Page-locked as the runtime's main memory is, so that devices copy from and to it without a detour, and used again and again: fresh
// memory costs a page fault for each page, which takes longer than the copy. What does not fit comes from the system.
//
// Threads     any; the bytes of one belong to who has it.
// Cost        one lock and a constant amount of work.
// Invariants  (1) all bytes have been given back when the runtime's devices go.
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

  /// The first `locked_bytes` of it are locked for these devices, as they come into use.
  staging_memory(std::vector<device::device*> faster, std::uint64_t locked_bytes);

 private:
  friend class staging_buffer;
  memory_space space_;
};

/// Aligned for any element. Neither copied nor moved.
class staging_buffer {
 public:
  staging_buffer(std::shared_ptr<staging_memory> from, std::size_t bytes);
  staging_buffer(const staging_buffer&) = delete;
  ~staging_buffer();

  std::byte* data() const noexcept { return first_; }
  std::size_t size() const noexcept { return size_; }

 private:
  const std::shared_ptr<staging_memory> of_;
  block* const held_;  // null: the system's
  std::byte* const first_;
  const std::size_t size_;
};

}  // namespace stretto::data
