// device_channel.hpp - copies between the host and devices, within a device, and between devices that can access one
// another, for callers that know places only.
//
// Threads     any thread of the runtime.
// Invariants  as channel.hpp. Between two devices a channel exists if the target device can access the source.
#pragma once

#include "platform/channel_registry.hpp"

namespace stretto::device {

class device_set;

class device_channel final : public places::channel {
 public:
  explicit device_channel(device_set& of) noexcept : of_(of) {}

  void start(const places::copy_end& source, const places::copy_end& target, places::copy_shape shape,
             places::completion& done) override;
  double bandwidth_bytes_per_second(place source, place target) const override;
  double latency_seconds(place source, place target) const override;

 private:
  device_set& of_;
};

/// Registers the channel between every kind of host memory and device memory, in both directions, and between
/// devices. Does nothing if there is no device. `devices` must outlive the registry. Throws P18 if a channel exists
/// already.
void add_device_channels(places::channel_registry& registry, device_set& devices);

}  // namespace stretto::device
