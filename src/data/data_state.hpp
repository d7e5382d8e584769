// data_state.hpp - what the data floor keeps for one runtime, and each thread's share of its pools.
//
// Threads     memories and settings: immutable once started. The rest says so itself.
// Cost        state_of and share_of: one load each, once a thread's share is made.
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
#include "data/staged_copy_engine.hpp"
#include "data/host_channel.hpp"
#include "data/instance_record.hpp"
#include "data/memory_space.hpp"
#include "data/reduction_record.hpp"
#include "device/device_set.hpp"
#include "device/host_work.hpp"
#include "platform/executor.hpp"

namespace stretto::data {

/// A memory that a runtime offers. Devices append theirs.
struct memory_description {
  place where;
  std::string name;
  place_kind kind = place_kind::system_memory;
  std::uint64_t capacity_bytes = 0;
  device::device* of = nullptr;  // null: of the host
  std::byte* first = nullptr;    // of the host, or global: where it lies; null: anywhere
  std::filesystem::path folder = {};  // of the host, and not empty: a file in there
  std::uint64_t locked_bytes = 0;     // of the host: most of it that is page-locked for devices that copy faster then
};

/// What the runtime decides once.
struct data_settings {
  std::vector<memory_description> memories;
  std::vector<memory_description> places = {};  // all of the platform, by index: what bytes may be copied between
  std::shared_ptr<const places::channel_registry> channels;  // null: between all host memories
  std::shared_ptr<places::executor> tasks;   // runs the parts of large operations; null: as tasks of the workers
  unsigned width = 1;                        // how many of those may run at the same time
  std::uint64_t inline_bytes = 16 << 10;     // operations up to this size run where they become ready
  std::uint64_t part_bytes = 512 << 10;      // larger ones are cut into parts of at least this size
  std::uint64_t staging_bytes = 1 << 20;     // one piece of a copy that has no direct way
  bool check = false;                        // costly checks of misuse are made
  bool recycles = true;                      // records of operations serve again
  bool device_messages = true;               // messages may go from and to memory of devices
  device::device_set* devices = nullptr;     // null: none
  std::function<void(const std::string&)> warn = {};  // of kernels that would run on the host alone; empty: nobody is told
  std::function<void(const std::string&)> tell = {};  // of what may be of interest
};

struct data_state {
  /// Operations of all kinds fit into blocks of `operation_bytes`.
  data_state(base::runtime_context& runtime, data_settings settings, std::size_t operation_bytes);
  ~data_state();

  base::runtime_context& runtime;
  const data_settings settings;
  class order_check* const checks;  // the runtime's observer; null unless accesses are checked
  std::vector<std::unique_ptr<memory_space>> memories;  // in the order of settings.memories
  base::block_stock records, operations, device_operations;
  static constexpr std::size_t device_operation_bytes = 640;  // launches and moves
  std::atomic<std::uint32_t> numbers{0};
  std::atomic<std::uint64_t> key_ranges{1};
  std::unique_ptr<staged_copy_engine> copy_engine;  // for copies that loads and stores cannot do
  class other_nodes* others = nullptr;  // set before threads use instances
  const std::shared_ptr<class attachments> attached;
  std::shared_ptr<class staging_memory> staging;  // for elements from and to other nodes
  const std::unique_ptr<class imported_memories> imported;  // null: elements pass through the host, or as messages take them

  /// Null if the place is no memory.
  memory_space* find(place p) const noexcept {
    return p.index < by_place.size() ? by_place[p.index] : nullptr;
  }
  std::vector<memory_space*> by_place;
  /// Ends of copies that hold no instances: places whose bytes only a module's channel reaches, by index; null for
  /// places whose memory the processor addresses.
  std::vector<std::unique_ptr<memory_space>> distant;

  std::mutex mutex;  // guards what follows
  std::vector<std::unique_ptr<struct thread_data>> shares;
  std::unordered_map<const detail::instance_record*, std::unique_ptr<detail::reduction_record>> reductions;
};

/// Whether the processor reads and writes it; null is memory of the program.
inline bool is_on_host(const memory_space* m) noexcept { return !m || is_host_memory(m->kind()); }

/// One thread's share of the pools.
struct thread_data {
  explicit thread_data(data_state& state)
      : records(state.records), operations(state.operations), device_operations(state.device_operations) {}
  base::block_cache records, operations, device_operations;
  device::group_memory groups;  // of the kernels that the thread runs
  std::uint64_t next_key = 0, end_of_keys = 0;  // keys are handed to threads a range at a time
  bool is_reported_by_owner = false;  // what the thread submits at the moment, should it fail
};

/// The calling thread's share is made by its first call, and again after leave_data.
thread_data& enter_data(base::thread_context& thread);

inline data_state& state_of(const base::thread_context& context) noexcept {
  return *context.runtime->get<data_state>(base::floor_slot::data);
}
inline thread_data& share_of(base::thread_context& context) {
  if (auto* share = context.get<thread_data>(base::floor_slot::data)) [[likely]]
    return *share;
  return enter_data(context);
}

/// While it lives, what the calling thread submits tells its event alone of a failure, and not the run: whoever needs what it was to write does.
class reported_by_owner {
 public:
  explicit reported_by_owner(base::thread_context& context) : share_(share_of(context)), before_(std::exchange(share_.is_reported_by_owner, true)) {}
  reported_by_owner(const reported_by_owner&) = delete;
  ~reported_by_owner() { share_.is_reported_by_owner = before_; }

 private:
  thread_data& share_;
  const bool before_;
};

}  // namespace stretto::data
