// imported_memories.hpp - memory of devices of other processes on this host, imported by devices of this node.
//
// A device imports a whole memory the first time that it copies elements from there, and keeps it. Failed imports are
// remembered.
//
// Threads     any.
// Cost        the first time, a call or two of the driver; then a lock and a search.
// Invariants  (1) a device imports a memory once. (2) an import ends when its node is forgotten, or with this object,
//             but never while the memory is in use.
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
    std::byte* first() const noexcept { return first_; }  // the address for that device

   private:
    device::attached_device& by_;
    std::byte* const first_;
  };
  using shared = std::shared_ptr<const memory>;

  /// The devices must outlive this. `inform` is called for each imported memory; it may be empty.
  imported_memories(const device::device_set& devices, std::function<void(const std::string&)> inform)
      : devices_(devices), inform_(std::move(inform)) {}

  /// The memory of node `of` that has those elements, as imported by `by`, or by any device if `by` is null. Null if it
  /// cannot be imported.
  shared find(const exported_device_elements& from, std::uint16_t of, device::attached_device* by);
  /// Ends the imports of a node that has failed.
  void forget(std::uint16_t node) noexcept;

  /// Number of copies from imported memory; for tests.
  std::atomic<std::uint64_t> copies{0};

 private:
  struct known {
    std::uint16_t node = 0;
    shared is;  // null: the device cannot import it
  };

  const device::device_set& devices_;
  const std::function<void(const std::string&)> inform_;
  std::mutex lock_;  // guards what follows; also held while a memory is imported
  std::map<std::pair<std::vector<std::byte>, const device::attached_device*>, known> all_;
};

}  // namespace stretto::data
