// objects_floor.hpp - starts and stops the objects floor of a runtime.
//
// Threads     the thread that makes and destroys the runtime.
#pragma once

#include <stretto/event.hpp>
#include <stretto/scheduler.hpp>
#include <stretto/statistics.hpp>

#include <cstdint>
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
  std::filesystem::path speeds = {};  // file of measured speeds, kept between runs; empty: not kept
  std::uint32_t depth = 4;            // tasks issued at a time to a device, or to each worker
  std::uint32_t workers = 1;
  place spill = {};  // memory for data that does not fit into host memory; none: there is none
  stretto::log_level log = log_level::warn;
  bool check = false;
  bool recycles = true;                       // records of launches are pooled
  std::function<std::uint64_t()> clock = {};  // measures kernels, in nanoseconds; any thread; empty: the trace's
};

/// A clock of the number of its readings, each of which takes 100 ns: a stepped runtime repeats its schedule for the
/// same seed.
std::function<std::uint64_t()> counting_clock();

/// The data of runtime.statistics(): the host, then each device.
std::vector<device_statistics> statistics_of(const base::runtime_context& runtime);

/// `devices` null: the host alone. To be called after the data floor has started.
void start_objects(base::runtime_context& runtime, device::device_set* devices, const objects_settings& settings);
/// Evicts the data of another floor from a device's memory; the call may lock. The event triggers when the data has
/// left; no event: there was none.
using clears_memory = std::function<std::optional<event>(place memory)>;
/// Objects call `others` if a launch needs more memory of a device than objects can free, and no other device may run
/// it.
void share_memories_with(base::runtime_context& runtime, clears_memory others);
/// To be called before the data floor stops, when all operations have ended.
void stop_objects(base::runtime_context& runtime) noexcept;

}  // namespace stretto::objects
