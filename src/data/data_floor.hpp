// data_floor.hpp - what other floors call to start and stop the data floor of a runtime.
//
// Threads     start and stop: the thread that makes the runtime. leave: the thread that it concerns.
// Cost        start: one address reservation per memory, no page touched.
#pragma once

#include "data/data_state.hpp"

namespace stretto {
class platform;
}

namespace stretto::data {

/// What of the host's memory, and of the job's, may be taken, where what has no room there goes, how records are treated, and who
/// is warned.
struct host_limits {
  std::uint64_t memory_bytes = 0;    // of each of its memories; 0: all of it
  std::filesystem::path spill = {};  // a folder; empty: none
  std::uint64_t locked_bytes = 0;    // of each, page-locked for devices that copy faster then
  bool recycles = true;              // records of operations serve again
  bool device_messages = true;       // messages may go from and to memory of devices
  std::byte* first_of_global = nullptr;  // of what this node makes instances in, of the place of that kind
  std::uint64_t global_bytes = 0;        // of that; 0: there is none
  std::function<void(const std::string&)> warn = {};  // told of kernels that devices would refuse, where misuse is looked for
  std::function<void(const std::string&)> tell = {};  // of other memories that devices of this node have come to use
};
/// The platform, with a memory of the host where it names none: the program lies in one in any case.
platform with_host_memory(const platform& machine);
/// The first memory that is the host's alone: no device's, no folder and not that of all nodes. None if the platform names none.
place host_memory_of(const platform& machine);
/// The platform with a memory "spill" beside those of the host; and which that is, or none.
platform with_spill(const platform& machine);
place spill_of(const platform& machine);

/// From a platform: its host memories with their capacities, tasks of the runtime's workers; `channels` null: those
/// between all host memories. `check`: costly checks of misuse are made. `devices`, which outlive the floor, have their
/// places in the platform.
void start_data(base::runtime_context& runtime, const platform& machine,
                std::shared_ptr<const places::channel_registry> channels = nullptr, bool check = false,
                device::device_set* devices = nullptr, const host_limits& limits = {});
void start_data(base::runtime_context& runtime, data_settings settings);
/// The platform with which it was started, and by which ways its copies go.
platform with_copy_ways(const platform& machine, const base::runtime_context& runtime);
/// All operations have ended and no thread uses the floor any more.
void stop_data(base::runtime_context& runtime) noexcept;
/// Gives a thread's share of the pools back; a thread that goes on gets a new one with its next call.
void leave_data(base::thread_context& thread) noexcept;

}  // namespace stretto::data
