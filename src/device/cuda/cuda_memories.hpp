// cuda_memories.hpp - maps addresses to the device memory that they lie in: all devices of a process share one
// address space.
//
// Threads     any. One table per process, like the addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "device/cuda/cuda_copies.hpp"

namespace stretto::device::cuda {

/// Registers memory of a device while this object lives. The addresses are the driver's, or aliases of the memory at
/// `driver_first`.
class registered_memory {
 public:
  registered_memory() = default;
  registered_memory(const registered_memory&) = delete;
  registered_memory(registered_memory&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  ~registered_memory();
  void note(const std::byte* first, std::uint64_t bytes, CUcontext context, std::byte* driver_first);

 private:
  const std::byte* end_ = nullptr;
};

/// The context of the device whose memory holds `address`, and the driver's address for it. No context: host memory.
located locate(std::byte* address) noexcept;

}  // namespace stretto::device::cuda
