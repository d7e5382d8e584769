// opencl_memory.hpp - what stands for the addresses of a device's memory: one buffer, or one for each block in use. The one buffer of a device that
// computes on the host's cores stays mapped, so that the host has it in place.
//
// Threads     any; with one buffer nothing is locked but for memory of the program's.
// Cost        with one buffer nothing is asked of the driver after it was made; else an enqueued command for each block (PoCL 3.1: 0.8 us, beside memory that it takes then rather than later).
// Invariants  a block's buffer lives from allocated() to freed(): whoever names an address names one in use.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <string>

#include "device/opencl/opencl_program.hpp"

namespace stretto::device::opencl {

/// A buffer, and how far into it.
struct located {
  cl_mem buffer = nullptr;
  std::size_t offset = 0;
};

class opencl_memory {
 public:
  enum class made_of : std::uint8_t { blocks, one_buffer, one_buffer_in_place };
  /// Throws K41 where the driver has no room for one buffer, where there is to be one.
  opencl_memory(std::shared_ptr<driver> d, std::byte* first, std::uint64_t bytes, made_of what);
  opencl_memory(const opencl_memory&) = delete;
  ~opencl_memory();

  std::byte* first() const noexcept { return first_; }
  /// The buffer of the host's memory that kernels use in place, and where the host sees it.
  void share(cl_mem buffer, std::byte* first, std::uint64_t bytes) noexcept {
    host_buffer_ = buffer, host_first_ = first, host_bytes_ = bytes;
  }
  /// Where the host has what is at this address of the device; null: it does not, or that is memory of the program's.
  std::byte* in_place(const std::byte* address) const noexcept {
    return in_place_ && is_own(address) ? in_place_ + (address - first_) : nullptr;
  }
  bool is_in_place() const noexcept { return in_place_; }
  cl_mem host_buffer() const noexcept { return host_buffer_; }
  std::byte* host_first() const noexcept { return host_first_; }

  /// Nothing where one buffer is all; throws K41 where the driver has no room.
  void allocated(std::byte* first, std::uint64_t bytes);
  void freed(std::byte* first) noexcept;

  /// A buffer of the program's: `stands` is what begins at that offset in it, until unmap_borrowed.
  void map_borrowed(std::byte* alias, located from, std::uint64_t bytes);
  void unmap_borrowed(std::byte* alias) noexcept;
  /// Why it is no buffer of this device's context, or too short; empty: it is.
  std::string refusal_of(cl_mem buffer, std::uint64_t end) const;

  /// Of an address of the device, or of the host's memory that it shares.
  located at(const std::byte* address) const;

 private:
  struct block {
    const std::byte* end;
    cl_mem buffer;
  };
  struct taken {
    const std::byte* end;
    located from;
  };
  /// Nothing else has these addresses.
  bool is_own(const std::byte* address) const noexcept { return address >= first_ && address < first_ + bytes_; }
  cl_mem make(std::uint64_t bytes, cl_mem_flags more = 0) const;
  cl_int force_allocation(cl_mem buffer) const noexcept;

  const std::shared_ptr<driver> driver_;
  std::byte* const first_;
  const std::uint64_t bytes_;
  const cl_command_queue asks_ = nullptr;  // the driver for the memory of buffers; null where it makes no queue
  cl_mem whole_ = nullptr;
  std::byte* in_place_ = nullptr;  // of whole_, mapped
  cl_mem host_buffer_ = nullptr;
  std::byte* host_first_ = nullptr;
  std::uint64_t host_bytes_ = 0;

  mutable std::shared_mutex mutex_;  // guards what follows
  std::map<const std::byte*, block> blocks_;  // by their first byte
  std::map<const std::byte*, taken> borrowed_;
};

}  // namespace stretto::device::opencl
