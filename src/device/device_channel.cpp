#include "device/device_channel.hpp"

#include <memory>

#include "device/device_set.hpp"

namespace stretto::device {

namespace {

/// A completion that first updates its device and then runs the completion of the copy's caller.
struct relay : places::completion {
  relay(attached_device& on, places::completion& done) : completion(tell), on(on), done(done) {}
  static void tell(places::work_item& self) noexcept {
    auto& r = static_cast<relay&>(self);
    places::completion& done = r.done;
    done.failure = r.failure;
    r.on.ended(0, r.where);
    delete &r;
    done.run(done);
  }
  attached_device& on;
  attached_device::ticket where;
  places::completion& done;
};

}  // namespace

void device_channel::start(const places::copy_end& source, const places::copy_end& target, places::copy_shape shape,
                           places::completion& done) {
  attached_device* const from = of_.at(source.memory);
  attached_device* const to = of_.at(target.memory);
  attached_device& on = to ? *to : *from;
  auto told = std::make_unique<relay>(on, done);
  on.enqueue(to ? work::to_device : work::to_host, {}, 0, told->where,
             [&](stream& s) { s.copy(source, target, shape, told.get()); });
  told.release();
}

double device_channel::bandwidth_bytes_per_second(place source, place target) const {
  const attached_device* const from = of_.at(source);
  const attached_device* const to = of_.at(target);
  if (!from && !to) return 0;
  const properties& about = (to ? to : from)->is().about();
  if (from && from == to) return 100e9;
  if (from && to && !to->is().reaches(from->is())) return 0;
  return about.bandwidth_bytes_per_second > 0 ? about.bandwidth_bytes_per_second : 10e9;
}

double device_channel::latency_seconds(place source, place target) const {
  const attached_device* const on = of_.at(target) ? of_.at(target) : of_.at(source);
  return on && on->is().about().latency_seconds > 0 ? on->is().about().latency_seconds : 10e-6;
}

void add_device_channels(places::channel_registry& registry, device_set& devices) {
  if (devices.is_empty()) return;
  const auto way = std::make_shared<device_channel>(devices);
  for (const place_kind host : {place_kind::numa, place_kind::system_memory, place_kind::pinned_memory}) {
    registry.add(host, place_kind::gpu_memory, way);
    registry.add(place_kind::gpu_memory, host, way);
  }
  registry.add(place_kind::gpu_memory, place_kind::gpu_memory, way);
}

}  // namespace stretto::device
