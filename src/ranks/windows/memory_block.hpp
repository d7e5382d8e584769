// memory_block.hpp - zeroed pages of memory that a window allocates.
//
// Threads     a value of one owner; the memory is shared.
// Cost        two system calls. Pages that nobody touches take no memory.
// Errors      call_error(no_memory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace stretto::ranks {

class memory_block {
 public:
  memory_block() = default;
  explicit memory_block(std::int64_t bytes);
  memory_block(memory_block&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  memory_block& operator=(memory_block&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~memory_block();

  /// Null for 0 bytes.
  std::byte* memory() const { return memory_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace stretto::ranks
