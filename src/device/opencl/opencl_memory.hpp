// opencl_memory.hpp - maps the addresses of a device's memory to buffers: one buffer, or one for each block in use.
// If the device computes on the host's cores, its one buffer stays mapped, so that the host accesses it in place.
//
// Threads     any. With one buffer, only borrowed memory takes a lock.
// Cost        with one buffer no driver calls after construction. Otherwise an enqueued command for each block (PoCL
//             3.1: 0.8 us), which makes the driver allocate memory then rather than later.
// Invariants  a block's buffer lives from allocated() to freed(); an address may be used only while its block is in
//             use.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

#include "device/opencl/opencl_program.hpp"

namespace stretto::device::opencl {

/// A buffer and an offset into it.
struct located {
  cl_mem buffer = nullptr;
  std::size_t offset = 0;
};

class opencl_memory {
 public:
  enum class buffer_layout : std::uint8_t { blocks, one_buffer, one_buffer_in_place };
  /// Throws K41 if the driver cannot allocate the one buffer that `what` asks for.
  opencl_memory(std::shared_ptr<driver> d, std::byte* first, std::uint64_t bytes, buffer_layout what);
  opencl_memory(const opencl_memory&) = delete;
  ~opencl_memory();

  std::byte* first() const noexcept { return first_; }
  /// Sets the buffer of host memory that kernels access in place, and its address on the host.
  void share(cl_mem buffer, std::byte* first, std::uint64_t bytes) noexcept {
    host_buffer_ = buffer, host_first_ = first, host_bytes_ = bytes;
  }
  /// The host address of this device address. Null if the device memory is not mapped, or the address is that of
  /// borrowed memory.
  std::byte* in_place(const std::byte* address) const noexcept {
    return in_place_ && is_own(address) ? in_place_ + (address - first_) : nullptr;
  }
  bool is_in_place() const noexcept { return in_place_; }
  cl_mem host_buffer() const noexcept { return host_buffer_; }
  std::byte* host_first() const noexcept { return host_first_; }

  /// Does nothing with one buffer. Otherwise throws K41 if the driver lacks memory.
  void allocated(std::byte* first, std::uint64_t bytes);
  void freed(std::byte* first) noexcept;

  /// Makes `alias` an address of the program's buffer, at that offset, until unmap_borrowed.
  void map_borrowed(std::byte* alias, located from, std::uint64_t bytes);
  void unmap_borrowed(std::byte* alias) noexcept;
  /// Makes `alias` an address of host memory, by a buffer of its own. False if the driver refuses it.
  bool map_host(std::byte* alias, std::byte* first, std::uint64_t bytes);
  /// Why the buffer does not belong to this device's context, or is too short; empty if it is usable.
  std::string refusal_of(cl_mem buffer, std::uint64_t end) const;

  /// The buffer and offset of a device address, or of an address of the shared host memory.
  located at(const std::byte* address) const;

 private:
  struct block {
    const std::byte* end;
    cl_mem buffer;
  };
  struct taken {
    const std::byte* end;
    located from;
    bool is_own = false;  // a buffer of map_host
  };
  /// Whether the address lies in the reserved range of this device.
  bool is_own(const std::byte* address) const noexcept { return address >= first_ && address < first_ + bytes_; }
  cl_mem make(std::uint64_t bytes, cl_mem_flags more = 0) const;
  cl_int force_allocation(cl_mem buffer) const noexcept;

  const std::shared_ptr<driver> driver_;
  std::byte* const first_;
  const std::uint64_t bytes_;
  // queue of the commands that make the driver allocate buffers; null if it cannot be created
  const cl_command_queue asks_ = nullptr;
  cl_mem whole_ = nullptr;
  std::byte* in_place_ = nullptr;  // host address of whole_, if mapped
  cl_mem host_buffer_ = nullptr;
  std::byte* host_first_ = nullptr;
  std::uint64_t host_bytes_ = 0;

  mutable std::shared_mutex mutex_;           // guards the members below
  std::map<const std::byte*, block> blocks_;  // by their first byte
  std::map<const std::byte*, taken> borrowed_;
};

}  // namespace stretto::device::opencl
