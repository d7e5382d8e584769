// device_memory.hpp - memory of devices that the host cannot access, and that messages use nevertheless.
//
// The owner of such memory registers its addresses. From then on copies ask whether an end of theirs is there, and
// leave the copy to the owner.
//
// Threads     any.
// Cost        while no memory is registered: a load for each buffer. Else a shared lock and a search.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "platform/work_item.hpp"

namespace stretto::ranks {

/// Rows of bytes at a distance from one another.
struct memory_rows {
  std::byte* first = nullptr;
  std::int64_t distance = 0;  // from the begin of a row to that of the next one
};

/// Copies that the driver of a device makes in their order.
class copy_stream {
 public:
  /// Blocks the thread until copies have ended that neither notify() nor finish() was called for.
  virtual ~copy_stream() = default;
  /// Begins to copy rows of `bytes` bytes. At least one side is in the memory of the stream. The other one is, too, or
  /// it is the host's, or in memory that this one reaches.
  virtual void copy(const memory_rows& to, const memory_rows& from, std::int64_t bytes, std::int64_t rows) = 0;
  /// `done` runs once all copies so far have been made, with their failure, on a thread of the runtime that holds no
  /// lock. It may destroy the stream.
  virtual void notify(places::completion& done) = 0;
  /// Blocks the thread until then. Throws the failure.
  virtual void finish() = 0;
};

class device_memory {
 public:
  virtual std::unique_ptr<copy_stream> make_stream() = 0;
  /// Whether copies between the two need no memory of the host.
  virtual bool reaches(const device_memory& other) const { return this == &other; }

 protected:
  ~device_memory() = default;
};

/// Ranges do not overlap. `of` must live until the range is removed, and no copy may use it then. A range that begins
/// where another one does replaces it.
void add_device_memory(const std::byte* first, std::size_t bytes, device_memory& of);
/// Does nothing for a range that was replaced.
void remove_device_memory(const std::byte* first, const device_memory& of);

extern std::atomic<int> device_memory_ranges;  // their number
device_memory* find_device_memory(const void* address);

inline bool has_device_memory() { return device_memory_ranges.load(std::memory_order_relaxed) > 0; }

/// Null: the host can access the address.
inline device_memory* device_memory_at(const void* address) {
  return has_device_memory() ? find_device_memory(address) : nullptr;
}

}  // namespace stretto::ranks
