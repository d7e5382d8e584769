// policies.hpp - the schedulers that come with Stretto, each in a file of its own.
//
// Threads     one call at a time, as device_scheduler says.
#pragma once

#include <stretto/scheduler.hpp>

#include <memory>
#include <span>
#include <vector>

#include "objects/waiting_tasks.hpp"

namespace stretto::objects {

std::unique_ptr<device_scheduler> make_fifo();
std::unique_ptr<device_scheduler> make_locality();
std::unique_ptr<device_scheduler> make_earliest_finish();
std::unique_ptr<device_scheduler> make_work_stealing();

/// How many waiting tasks a policy examines before it decides.
inline constexpr std::size_t most_examined_tasks = 32;

/// The devices on which the task may run.
inline device_set devices_for(const device_task& t, std::span<const device_view> devices) {
  device_set allowed = 0;
  for (const device_view& d : devices)
    if (t.may_run_on(d)) allowed |= device_set{1} << d.index;
  return allowed;
}

}  // namespace stretto::objects
