// accelerator.hpp - what runs the kernels of a rank: its memory, copies to and from it, and launches.
//
// Threads     tasks. Each call returns when its work has ended, and suspends its task meanwhile.
#pragma once

#include <cstddef>

namespace stretto::acc {

/// A kernel for one gang, on the host.
using gang_function = void (*)(void** arguments, long gang, long gangs);

class accelerator {
 public:
  virtual ~accelerator() = default;

  /// Kernels use the memory of the host: nothing is allocated and copied.
  virtual bool shares_host_memory() const noexcept = 0;

  /// Aligned for every type, not initialised. Null if there is not so much memory.
  virtual std::byte* allocate(std::size_t bytes) noexcept = 0;
  virtual void release(std::byte* memory) noexcept = 0;
  /// Of all that is not released.
  virtual std::size_t allocated_bytes() const noexcept = 0;

  virtual void copy_to_device(std::byte* device, const std::byte* host, std::size_t bytes) = 0;
  virtual void copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) = 0;
  virtual void copy_within(std::byte* to, const std::byte* from, std::size_t bytes) = 0;
  virtual void clear(std::byte* device, std::size_t bytes) = 0;

  /// Runs the kernel for each gang from 0 to `gangs` - 1.
  ///
  ///   arguments   as the kernel takes them, with addresses of this device
  ///   gangs       0 or less: as many as the device likes
  ///   work        operations of all gangs, where they are known; else 0
  virtual void launch(gang_function kernel, void** arguments, long gangs, long work) = 0;
};

}  // namespace stretto::acc
