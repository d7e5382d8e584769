// mapped_memory.hpp - zeros from the system, which become real pages as they are touched.
//
// Threads     none of its own.
// Invariants  (1) nothing is accounted to the process at creation.
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
