// objects_floor.hpp - what other floors call to start and stop the objects of a runtime.
//
// Threads     the thread that makes and destroys the runtime.
#pragma once

#include <stretto/event.hpp>
#include <stretto/scheduler.hpp>
#include <stretto/statistics.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "base/log.hpp"
#include "device/device_set.hpp"

namespace stretto::objects {

struct objects_settings {
  std::shared_ptr<device_scheduler> scheduler = {};  // null: the one that `policy` names
  std::string_view policy = {};
  std::filesystem::path speeds = {};  // kept there between runs; empty: not kept
  std::uint32_t depth = 4;            // tasks that a device, or a worker, is issued at a time
  std::uint32_t workers = 1;
  place spill = {};                   // the memory for what the host's has no room for; none: there is none
  stretto::log_level log = log_level::warn;
  bool check = false;
  bool recycles = true;               // records of launches serve again
  bool counts_time = false;           // by how often it is asked for: whoever steps the runtime gets the same from the same seed
};

/// What runtime.statistics() reports: the host, then each device.
std::vector<device_statistics> statistics_of(const base::runtime_context& runtime);

/// `devices` null: the host alone. After the data floor.
void start_objects(base::runtime_context& runtime, device::device_set* devices, const objects_settings& settings);
/// Clears a device's memory of what another floor has there, in a call that may lock. The event happens when it has
/// left; none: there is nothing.
using clears_memory = std::function<std::optional<event>(place memory)>;
/// It is called where a launch needs more of a device's memory than objects can free, and no other may compute it.
void share_memories_with(base::runtime_context& runtime, clears_memory others);
/// Before the data floor; all operations have ended.
void stop_objects(base::runtime_context& runtime) noexcept;

}  // namespace stretto::objects
