// buffers_floor.hpp - what other floors call to start and stop the buffers of a runtime.
//
// Threads     the thread that makes and destroys the runtime.
#pragma once

#include <functional>
#include <string>

#include "base/context.hpp"
#include "device/device_set.hpp"

namespace stretto::buffers {

struct buffers_settings {
  bool check = false;  // kernels may touch what mappers name, and nothing else
  bool learn = false;  // what kernels touch is told at the end, beside what mappers name. On one node; on the host
  std::function<void(const std::string&)> warn = {};
};

/// `devices` null: the host alone. After the data floor, and after that knows of other nodes.
void start_buffers(base::runtime_context& runtime, device::device_set* devices, const buffers_settings& settings);
/// Before the data floor; all operations have ended.
void stop_buffers(base::runtime_context& runtime) noexcept;

}  // namespace stretto::buffers
