// data_state.hpp - the state of the data floor of one runtime, and each thread's share of its pools.
//
// Threads     memories and settings: immutable after start. Other members: as stated.
// Cost        state_of and share_of: one load each, once the thread has a share.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/block_pool.hpp"
#include "base/context.hpp"
#include "data/host_channel.hpp"
#include "data/instance_record.hpp"
#include "data/memory_space.hpp"
#include "data/reduction_record.hpp"
#include "data/staged_copy_engine.hpp"
#include "device/device_set.hpp"
#include "device/host_work.hpp"
#include "platform/executor.hpp"

namespace stretto::data {

/// A memory of the runtime. Devices append theirs.
struct memory_description {
  place where;
  std::string name;
  place_kind kind = place_kind::system_memory;
  std::uint64_t capacity_bytes = 0;
  device::device* of = nullptr;       // null: of the host
  std::byte* first = nullptr;         // of the host, or global: its address; null: any
  std::filesystem::path folder = {};  // of the host, not empty: memory is a file in this folder
  std::uint64_t locked_bytes = 0;     // of the host: page-locked part, for devices that copy faster then
};

/// Settings, fixed when the floor starts.
struct data_settings {
  std::vector<memory_description> memories;
  std::vector<memory_description> places = {};               // all places of the platform, by index: ends of copies
  std::shared_ptr<const places::channel_registry> channels;  // null: between all host memories
  std::shared_ptr<places::executor> tasks;              // runs parts of large operations; null: tasks of the workers
  unsigned width = 1;                                   // number of parts that may run at the same time
  std::uint64_t inline_bytes = 16 << 10;                // operations up to this size run where they become ready
  std::uint64_t part_bytes = 512 << 10;                 // larger operations are cut into parts of at least this size
  std::uint64_t staging_bytes = 1 << 20;                // size of a piece of a copy without a direct channel
  bool check = false;                                   // expensive checks of misuse
  bool recycles = true;                                 // records of operations are pooled
  bool device_messages = true;                          // messages may read and write memory of devices
  device::device_set* devices = nullptr;                // null: none
  std::function<void(const std::string&)> warn = {};    // for kernels that run on the host alone; empty: no warnings
  std::function<void(const std::string&)> inform = {};  // for messages of interest
};

struct data_state {
  /// `operation_bytes`: size of a block that holds an operation of any kind.
  data_state(base::runtime_context& runtime, data_settings settings, std::size_t operation_bytes);
  ~data_state();

  base::runtime_context& runtime;
  const data_settings settings;
  class order_check* const checks;  // the runtime's order observer; null unless accesses are checked
  std::vector<std::unique_ptr<memory_space>> memories;  // in the order of settings.memories
  base::block_pool records, operations, device_operations;
  static constexpr std::size_t device_operation_bytes = 640;  // launches and moves
  std::atomic<std::uint32_t> numbers{0};
  std::atomic<std::uint64_t> key_ranges{1};
  std::unique_ptr<staged_copy_engine> copy_engine;  // copies that loads and stores cannot do
  class other_nodes* others = nullptr;              // set before threads use instances
  const std::shared_ptr<class attachments> attached;
  std::shared_ptr<class staging_memory> staging;            // buffers for elements from and to other nodes
  const std::unique_ptr<class imported_memories> imported;  // null: elements pass through the host, or through messages

  /// Null if the place is no memory.
  memory_space* find(place p) const noexcept { return p.index < by_place.size() ? by_place[p.index] : nullptr; }
  std::vector<memory_space*> by_place;
  /// Copy ends without instances: places that only a module's channel reaches, by index. Null for places whose memory
  /// the processor addresses.
  std::vector<std::unique_ptr<memory_space>> distant;

  std::mutex mutex;  // guards what follows
  std::vector<std::unique_ptr<struct thread_data>> shares;
  std::unordered_map<const detail::instance_record*, std::unique_ptr<detail::reduction_record>> reductions;
};

/// Whether the processor reads and writes it directly; null is memory of the program.
inline bool is_on_host(const memory_space* m) noexcept { return !m || is_host_memory(m->kind()); }

/// A thread's share of the pools.
struct thread_data {
  explicit thread_data(data_state& state)
      : records(state.records), operations(state.operations), device_operations(state.device_operations) {}
  base::block_cache records, operations, device_operations;
  device::group_memory groups;                  // of the kernels that the thread runs
  std::uint64_t next_key = 0, end_of_keys = 0;  // keys are given to threads in ranges
  bool is_reported_by_owner = false;  // failures of operations that the thread submits now are reported by their owner
};

/// The calling thread's share, made by its first call and by the first one after leave_data.
thread_data& enter_data(base::thread_context& thread);

inline data_state& state_of(const base::thread_context& context) noexcept {
  return *context.runtime->get<data_state>(base::floor_slot::data);
}
inline thread_data& share_of(base::thread_context& context) {
  if (auto* share = context.get<thread_data>(base::floor_slot::data)) [[likely]]
    return *share;
  return enter_data(context);
}

/// While this object lives, operations submitted by this thread report a failure only through their event, not from
/// `run`.
class reported_by_owner {
 public:
  explicit reported_by_owner(base::thread_context& context)
      : share_(share_of(context)), before_(std::exchange(share_.is_reported_by_owner, true)) {}
  reported_by_owner(const reported_by_owner&) = delete;
  ~reported_by_owner() { share_.is_reported_by_owner = before_; }

 private:
  thread_data& share_;
  const bool before_;
};

}  // namespace stretto::data
