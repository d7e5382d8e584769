// message_streams.hpp - copies to and from the memory of a device for messages.
//
// Threads     any. Each message has a stream to itself, so that it does not wait for what queues have put into others.
// Cost        a copy of the driver, and a notification of its end or a wait for it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "device/device_set.hpp"
#include "ranks/datatypes/device_memory.hpp"

namespace stretto::acc {

class message_streams final : public ranks::device_memory, public std::enable_shared_from_this<message_streams> {
 public:
  /// Of a device whose memory the host cannot access. While the object lives, messages may use all of that memory.
  static std::shared_ptr<message_streams> of(device::attached_device& on);

  explicit message_streams(device::attached_device& on);
  message_streams(const message_streams&) = delete;
  ~message_streams();

  std::unique_ptr<ranks::copy_stream> make_stream() override;
  bool reaches(const ranks::device_memory& other) const override;

 private:
  class lent_stream;
  std::unique_ptr<device::stream> idle_stream();

  device::attached_device& on_;
  const bool is_direct_;  // between devices, also within one
  std::mutex mutex_;
  std::vector<std::unique_ptr<device::stream>> idle_;  // guarded by mutex_
};

}  // namespace stretto::acc
