// mapped_memory.hpp - zeroed memory from the system, which allocates pages when they are touched.
//
// Threads     any, as for plain memory.
// Invariants  (1) creation reserves no memory (MAP_NORESERVE).
#pragma once

#include <cstddef>
#include <cstdint>

namespace stretto::net {

class mapped_memory {
 public:
  /// Throws N16.
  explicit mapped_memory(std::uint64_t bytes);
  mapped_memory(const mapped_memory&) = delete;
  ~mapped_memory();

  std::byte* data() const noexcept { return first_; }
  std::uint64_t size() const noexcept { return bytes_; }

 private:
  std::byte* first_ = nullptr;
  const std::uint64_t bytes_;
};

}  // namespace stretto::net
