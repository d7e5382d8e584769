// module_channel.hpp - a module's channel as the data floor uses it.
//
// Threads     start: any thread of the runtime.
// Cost        an indirect call and two atomic additions per copy; nothing is allocated.
// Invariants  a copy that is with the module counts as under way, so that the runtime's end waits for it.
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
