// own_devices.hpp - a runtime with devices made by the test.
#pragma once

#include <stretto/module.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "data/data_floor.hpp"
#include "data/host_channel.hpp"
#include "device/device_channel.hpp"
#include "device/device_set.hpp"
#include "function_reference.hpp"

namespace stretto::data {

/// A module by which the runtime polls a set of devices.
class poll_devices final : public module {
 public:
  explicit poll_devices(device::device_set& all) : all_(all) {}
  std::string_view name() const noexcept override { return "devices of a test"; }
  void initialise(module_host& host) override { host.add_poller(all_); }
  void finalise() noexcept override { all_.stop_notifying(); }

 private:
  device::device_set& all_;
};

/// Runs `body(set, machine)` inside a runtime with these devices.
inline void with_devices(std::vector<std::unique_ptr<device::device>> made, unsigned workers,
                         test::function_reference<void(device::device_set&, const platform&)> body,
                         const host_limits& limits = {}) {
  std::vector<device::opened_device> open;
  for (auto& d : made) {
    device::opened_device f;
    f.name = d->about().name;
    f.is = std::move(d);
    open.push_back(std::move(f));
  }
  device::device_set all(std::move(open), {.kernels = 3});
  const auto machine = std::make_shared<const platform>(all.extended(platform::discover(workers)));
  const auto channels = std::make_shared<places::channel_registry>();
  add_host_channels(*channels);
  device::add_device_channels(*channels, all);
  runtime rt({.workers = workers, .machine = machine, .modules = {std::make_shared<poll_devices>(all)}});
  rt.run([&] {
    base::runtime_context& context = *base::current()->runtime;
    stop_data(context);
    start_data(context, rt.machine(), channels, false, &all, limits);
  });
  rt.run([&] { body(all, rt.machine()); });
}

}  // namespace stretto::data
