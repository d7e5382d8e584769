// imported_memories.hpp - memories of devices of other processes on this host, as this node's devices have them.
//
// A device of this node imports such a memory when elements that lie there are first to be copied by it, as a whole, and keeps it. What it
// cannot have is remembered.
//
// Threads     any.
// Cost        the first time, a call or two of the driver; then a lock and a search.
// Invariants  (1) a memory is imported once by each device. (2) it is given back when its node is forgotten, or with this, but never while
//             somebody holds it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "data/exported_device_elements.hpp"
#include "device/device_set.hpp"

namespace stretto::data {

class imported_memories {
 public:
  class memory {
   public:
    memory(device::attached_device& by, std::byte* first) noexcept : by_(by), first_(first) {}
    memory(const memory&) = delete;
    ~memory() { by_.is().give_back(first_); }

    const device::attached_device& by() const noexcept { return by_; }
    std::byte* first() const noexcept { return first_; }  // as that device knows it

   private:
    device::attached_device& by_;
    std::byte* const first_;
  };
  using shared = std::shared_ptr<const memory>;

  /// By these devices, which outlive this. `tell`: of each memory that is imported; or empty.
  imported_memories(const device::device_set& devices, std::function<void(const std::string&)> tell) : devices_(devices), tell_(std::move(tell)) {}

  /// The memory in which those elements of node `of` lie, as `by` knows it; by null: any of the devices. Null where it cannot have it.
  shared find(const exported_device_elements& from, std::uint16_t of, device::attached_device* by);
  /// That node is lost.
  void forget(std::uint16_t node) noexcept;

  /// Copies of such elements, since the start; for tests.
  std::atomic<std::uint64_t> copies{0};

 private:
  struct known {
    std::uint16_t node = 0;
    shared is;  // null: that device cannot have it
  };

  const device::device_set& devices_;
  const std::function<void(const std::string&)> tell_;
  std::mutex lock_;  // guards what follows, and that a memory is imported once
  std::map<std::pair<std::vector<std::byte>, const device::attached_device*>, known> all_;
};

}  // namespace stretto::data
