// device_channel.hpp - copies between the host and devices, and within a device, for those who know places only.
//
// Threads     any thread of the runtime.
// Invariants  as channel.hpp. Between two devices it does not lead.
#pragma once

#include "platform/channel.hpp"

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

}  // namespace stretto::device
