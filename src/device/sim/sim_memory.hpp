// sim_memory.hpp - memory with two addresses: the device's, which the host cannot access, and the simulator's.
//
// Threads     any; the streams order accesses to the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace stretto::device::sim {

class sim_memory {
 public:
  /// Allocates the memory. Up to 1 GiB of it reads as fresh_fill_byte. Untouched memory takes neither time nor
  /// memory. Throws std::system_error if the system gives no memory.
  explicit sim_memory(std::uint64_t bytes, std::string owner = "sim");
  sim_memory(const sim_memory&) = delete;
  ~sim_memory();

  std::byte* device_address() const noexcept { return outside_; }
  /// The distance from a device address to the simulator's address.
  std::ptrdiff_t distance() const noexcept { return inside_ - outside_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Whether the address belongs to its device.
  bool has(const std::byte* address) const noexcept { return address >= outside_ && address < outside_ + bytes_; }

  /// The bytes that unwritten memory holds: as a float about -7e-17, as an integer a large negative number.
  static constexpr unsigned char fresh_fill_byte = 0xa5, freed_fill_byte = 0xdb;
  void fill_with_garbage(const std::byte* first, std::uint64_t bytes, unsigned char byte) noexcept;

  /// The name of its device.
  const std::string& owner() const noexcept { return owner_; }
  /// The device is lost, for good.
  void lose() noexcept;
  /// Runs `body`, an access by another device, unless the memory is lost; it cannot be lost meanwhile. Returns false
  /// if it is lost.
  template <class F>
  bool if_not_lost(F&& body) const {
    const std::scoped_lock lock(mutex_);
    if (!is_lost_) body();
    return !is_lost_;
  }

 private:
  const std::string owner_;
  mutable std::mutex mutex_;
  bool is_lost_ = false;  // guarded by mutex_
  std::uint64_t bytes_;
  std::byte* outside_ = nullptr;
  std::byte* inside_ = nullptr;
};

}  // namespace stretto::device::sim
