// blocking_copies.hpp - copies to and from the memory of a device for messages, whose callers cannot suspend.
//
// Threads     any. Each copy has a stream to itself.
// Cost        a copy of the driver, and a wait for it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "device/device.hpp"
#include "ranks/datatypes/device_memory.hpp"

namespace stretto::acc {

class blocking_copies final : public ranks::device_memory {
 public:
  /// Of a device whose memory the host cannot access. While the object lives, messages may use all of that memory.
  static std::shared_ptr<blocking_copies> of(device::device& on);

  explicit blocking_copies(device::device& on);
  blocking_copies(const blocking_copies&) = delete;
  ~blocking_copies();

  void copy(const ranks::memory_rows& to, const ranks::memory_rows& from, std::int64_t bytes,
            std::int64_t rows) override;
  bool reaches(const ranks::device_memory& other) const override;

 private:
  std::unique_ptr<device::stream> idle_stream();

  device::device& on_;
  const bool is_direct_;  // between devices, also within one
  std::mutex mutex_;
  std::vector<std::unique_ptr<device::stream>> idle_;  // guarded by mutex_
};

}  // namespace stretto::acc
