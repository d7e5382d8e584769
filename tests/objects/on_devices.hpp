// on_devices.hpp - a runtime with devices of a test and the host.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "data/own_devices.hpp"
#include "function_reference.hpp"
#include "objects/objects_floor.hpp"

namespace stretto::test {

/// Runs `body(set of devices)` there; warnings of launches that run elsewhere are suppressed.
inline void on_devices(std::vector<std::unique_ptr<device::device>> devices, const char* policy,
                       function_reference<void(device::device_set&)> body) {
  data::with_devices(std::move(devices), 2, [&](device::device_set& all, const platform&) {
    base::runtime_context& context = *base::current()->runtime;
    objects::stop_objects(context);
    objects::start_objects(context, &all, {.scheduler = {}, .policy = policy, .workers = 2, .log = log_level::off});
    body(all);
  });
}

}  // namespace stretto::test
