// sim_memory.hpp - memory that has two addresses: the device's, which the host cannot touch, and the simulator's.
//
// Threads     any; the bytes themselves are ordered by the streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace stretto::device::sim {

class sim_memory {
 public:
  /// All of it, up to 1 GiB, reads as fresh_fill_byte. Throws std::system_error where the system gives no memory. Cost: what is not
  /// written takes neither time nor memory.
  explicit sim_memory(std::uint64_t bytes, std::string owner = "sim");
  sim_memory(const sim_memory&) = delete;
  ~sim_memory();

  std::byte* device_address() const noexcept { return outside_; }
  /// From a device address to the one that the simulator reads and writes.
  std::ptrdiff_t distance() const noexcept { return inside_ - outside_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// Whether it is one of its device's addresses.
  bool has(const std::byte* address) const noexcept { return address >= outside_ && address < outside_ + bytes_; }

  /// What nobody wrote reads as this: as a float some -7e-17, as an integer a large negative number.
  static constexpr unsigned char fresh_fill_byte = 0xa5, freed_fill_byte = 0xdb;
  void fill_with_garbage(const std::byte* first, std::uint64_t bytes, unsigned char byte) noexcept;

  /// Whose it is.
  const std::string& owner() const noexcept { return owner_; }
  /// With its device, for ever.
  void lose() noexcept;
  /// What other devices do there: nothing, and false, once it is lost; it is not lost meanwhile.
  template <class F>
  bool if_not_lost(F&& body) const {
    const std::scoped_lock lock(mutex_);
    if (!is_lost_) body();
    return !is_lost_;
  }

 private:
  const std::string owner_;
  mutable std::mutex mutex_;
  bool is_lost_ = false;  // guarded by it
  std::uint64_t bytes_;
  std::byte* outside_ = nullptr;
  std::byte* inside_ = nullptr;
};

}  // namespace stretto::device::sim
