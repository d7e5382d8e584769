// data_floor.hpp - starts and stops the data floor of a runtime.
//
// Threads     start and stop: the thread that makes the runtime. leave: the thread that leaves.
// Cost        start: one address reservation per memory, no page touched.
#pragma once

#include "data/data_state.hpp"

namespace stretto {
class platform;
}

namespace stretto::data {

/// Limits on host and global memory, the spill folder, pooling, and functions for messages.
struct host_limits {
  std::uint64_t memory_bytes = 0;        // of each host memory; 0: all of it
  std::filesystem::path spill = {};      // a folder; empty: none
  std::uint64_t locked_bytes = 0;        // page-locked part of each memory, for devices that copy faster then
  bool recycles = true;                  // records of operations are pooled
  bool device_messages = true;           // messages may read and write memory of devices
  std::byte* first_of_global = nullptr;  // where this node's part of global memory lies
  std::uint64_t global_bytes = 0;        // its size; 0: there is no global memory
  // called for kernels that devices would refuse, if misuse is checked
  std::function<void(const std::string&)> warn = {};
  // called when devices of this node import memory of another process
  std::function<void(const std::string&)> inform = {};
};
/// The platform, with a host memory added if it has none: the program itself needs one.
platform with_host_memory(const platform& machine);
/// The first memory of the host alone: not of a device, of a folder, or global. None if the platform has none.
place host_memory_of(const platform& machine);
/// The platform with a memory "spill" added; and the place of that memory, or none.
platform with_spill(const platform& machine);
place spill_of(const platform& machine);

/// Starts the floor on a platform, with its host memories and their capacities. `channels` null: those between all host
/// memories. `check`: expensive checks of misuse. `devices` must outlive the floor and have their places in the
/// platform.
void start_data(base::runtime_context& runtime, const platform& machine,
                std::shared_ptr<const places::channel_registry> channels = nullptr, bool check = false,
                device::device_set* devices = nullptr, const host_limits& limits = {});
void start_data(base::runtime_context& runtime, data_settings settings);
/// The platform that the floor was started with, with the routes of its copies.
platform with_copy_routes(const platform& machine, const base::runtime_context& runtime);
/// To be called when all operations have ended and no thread uses the floor.
void stop_data(base::runtime_context& runtime) noexcept;
/// Returns a thread's share of the pools; the thread gets a new share with its next call.
void leave_data(base::thread_context& thread) noexcept;

}  // namespace stretto::data
