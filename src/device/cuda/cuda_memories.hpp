// cuda_memories.hpp - whose memory an address is in: the driver gives all devices of a process addresses of one space.
//
// Threads     any. One table per process, as the addresses are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "device/cuda/cuda_copies.hpp"

namespace stretto::device::cuda {

/// Notes memory of a device while it lives; at addresses that are the driver's, or stand for what is at `driver_first`.
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

/// The context in whose device's memory an address is, and the driver's address for it; no context: the host's.
located locate(std::byte* address) noexcept;

}  // namespace stretto::device::cuda
