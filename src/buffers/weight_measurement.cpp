#include "buffers/weight_measurement.hpp"

#include <algorithm>

namespace stretto::buffers {

weight_measurement::weight_measurement(measured_levels levels, std::size_t devices, std::uint32_t nodes,
                                       std::uint32_t ahead)
    : devices_(devices), nodes_(nodes), ahead_(ahead) {
  begin(levels);
}

void weight_measurement::begin(measured_levels levels) noexcept {
  end();
  levels_ = {levels.devices && devices_ > 1, levels.nodes && nodes_ > 1};
  pause_ = left_ = least_pause;
  if (levels_.devices || levels_.nodes) phase_ = phase::pausing;
}

void weight_measurement::pause(bool has_changed) noexcept {
  phase_ = phase::pausing;
  pause_ = has_changed ? least_pause : std::min(2 * pause_, most_pause);
  left_ = pause_;
  window_.reset();
}

void weight_measurement::applied(bool has_changed) noexcept {
  request_ = request::nothing;
  pause(has_changed);
}

graph::chunk_weights weight_measurement::decide_devices(const graph::chunk_weights& now) {
  has_decided_devices_ = true;
  const std::vector<graph::measured_load> loads = window_->loads(devices_ + 1);
  const std::vector<double> weights = graph::balanced_weights(now.shares(), std::span(loads).first(devices_));
  return graph::chunk_weights(weights);
}

graph::chunk_weights weight_measurement::passed_horizon(const graph::chunk_weights& now) {
  graph::chunk_weights weights;
  switch (phase_) {
    case phase::off: break;
    case phase::pausing:
      if (--left_ > 0) break;
      phase_ = phase::measuring;
      left_ = window_horizons;
      window_ = std::make_shared<measured_window>();
      break;
    case phase::measuring:
      if (--left_ > 0) break;
      phase_ = phase::deciding;
      left_ = ahead_;
      has_decided_devices_ = !levels_.devices;
      if (levels_.nodes) request_ = request::exchange;
      break;
    case phase::deciding:
      if (left_ > 0) --left_;
      if (!has_decided_devices_ && window_->has_ended()) {
        weights = decide_devices(now);
        if (!levels_.nodes) pause(!weights.are_none());
      }
      if (levels_.nodes && left_ == 0) request_ = request::apply;
      break;
  }
  return weights;
}

}  // namespace stretto::buffers
