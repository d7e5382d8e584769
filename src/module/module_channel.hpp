// module_channel.hpp - adapts a module's channel to the data floor.
//
// Threads     start: any thread of the runtime.
// Cost        an indirect call and two atomic additions per copy; no allocation.
// Invariants  a copy that the module performs counts as pending, so that the runtime waits for it before it ends.
#pragma once

#include <memory>

#include "platform/channel.hpp"

namespace stretto::modules {

class module_channel final : public places::channel {
 public:
  explicit module_channel(std::shared_ptr<stretto::channel> by) noexcept : by_(std::move(by)) {}

  void start(const copy_end& source, const copy_end& target, copy_extent extent, places::completion& done) override;
  double bandwidth_bytes_per_second(place source, place target) const override;
  double latency_seconds(place source, place target) const override;

 private:
  const std::shared_ptr<stretto::channel> by_;
};

}  // namespace stretto::modules
