// device_channel.hpp - copies between the host and devices, within a device and between those that reach one another, for
// those who know places only.
//
// Threads     any thread of the runtime.
// Invariants  as channel.hpp. Between two devices it leads where the one that is written reaches the other.
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

/// Registers it for every kind of host memory with that of devices, both ways, and for that of devices with itself; nothing
/// where there is no device. `devices` outlives the registry. Throws P18 where there is a channel already.
void add_device_channels(places::channel_registry& registry, device_set& devices);

}  // namespace stretto::device
