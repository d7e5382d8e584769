// objects_state.hpp - the state of the objects floor of one runtime: execution places, objects, tasks that wait.
//
// Threads     `mutex` guards all members that do not say otherwise. Events fire on any thread: they only push their
//             signal to `pending_signals`. The holder of the mutex handles pending signals before it unlocks.
// Invariants  (1) a task is pushed to the scheduler when all of its predecessors have been issued, and is issued once.
//             (2) the storage that an issued task uses stays in place until the task has ended.
#pragma once

#include <stretto/object.hpp>
#include <stretto/scheduler.hpp>

#include <array>
#include <atomic>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/block_pool.hpp"
#include "base/context.hpp"
#include "data/memory_space.hpp"
#include "data/replica_set.hpp"
#include "device/device_set.hpp"
#include "event/waiter.hpp"
#include "objects/dependencies.hpp"
#include "objects/short_kernels.hpp"
#include "objects/speeds.hpp"
#include "objects/task_slots.hpp"
#include "trace/clock.hpp"

namespace stretto::sched {
struct task_record;
}

namespace stretto::objects {

struct objects_state;
struct execution_place;
class shared_objects;
struct task;

/// A notification that the holder of the mutex will handle.
struct signal : waiter {
  using handler = void (*)(signal& self, failure_ref cause, base::thread_context& context);
  signal(objects_state& s, handler h) noexcept;

  objects_state& state;
  handler handle;
  failure_ref cause;
  signal* next_pending = nullptr;
};

/// The storage of one replica.
struct stored {
  detail::instance_handle instance;
  std::uint64_t bytes = 0;
  std::uint32_t in_use = 0;  // number of issued tasks that have not ended, and of host views
  std::uint64_t last_use = 0;
};

/// A use by a task that was submitted and not issued yet.
struct queued_use {
  std::uint64_t position;
  box where;
};

/// Cache: the replica that served this need; valid while the replica set has not changed.
struct ready_replica {
  data::memory_number in = 0;
  data::usage how = {};
  box where;
  data::replica_id use = data::no_replica;
  std::uint64_t at = 0;  // replica_set::changes() at that time; 0: empty
};

/// Cache: how much of a box was valid in a memory; valid while the replica set has not changed.
struct known_share {
  data::memory_number in = 0;
  box where;
  std::uint64_t elements = 0;
  std::uint64_t at = 0;  // replica_set::changes() at that time; 0: empty
};

/// An object. Records are pooled: they are allocated and freed under the mutex.
struct object_record {
  static std::unique_ptr<object_record> make(const std::shared_ptr<objects_state>& owner,
                                             const detail::object_request& r, const std::source_location& where);
  static void operator delete(object_record* o, std::destroying_delete_t) noexcept;

  std::atomic<std::uint32_t> references{1};  // handles of the program
  const std::shared_ptr<objects_state> state;
  const box elements;
  const std::uint8_t dimensions;
  const std::uint32_t element_bytes, alignment;
  const std::string name;
  const std::source_location created;
  const std::uint64_t number;
  const execution_place* const shared_memory;  // the memory shared by host and device that was asked for, or none

  dependencies order;
  data::replica_set replicas;
  std::vector<stored> storage;         // by replica id
  std::array<ready_replica, 8> ready;  // by a hash of the need
  std::array<known_share, 8> shares;   // by a hash of memory and box
  std::deque<queued_use> queued;       // in the order of submission
  failure_ref lost_because;            // cause of the last loss of data
  std::uint32_t users = 0;             // tasks, and copies under way
  std::uint32_t unissued = 0;          // tasks of which successors may not be issued yet
  bool is_released = false;            // the last handle is gone, tasks still use the object
  std::size_t place = 0;               // index in objects_state::objects

  /// Number of elements of the box that are valid in that memory.
  std::uint64_t valid_elements(data::memory_number in, const box& where);
  /// The memory in which tasks of an execution place use the object.
  data::memory_number memory_for(const execution_place& at) const noexcept;
  std::uint64_t valid_for(const execution_place& at, const box& where) { return valid_elements(memory_for(at), where); }
  /// Contributions of the host and of a device to one memory are not atomic to one another, so they must alternate.
  data::usage usage_at(const execution_place& at, data::usage how) const noexcept;
  /// The memories to which data of a memory is evicted, best first.
  std::vector<data::memory_number> eviction_targets(data::memory_number memory) const;

 private:
  object_record(std::shared_ptr<objects_state> owner, const detail::object_request& r,
                const std::source_location& where);
};
/// release_by_program: the last handle is gone; the object ends with the last task that uses it. dissolve frees it.
/// Both need the mutex.
void release_by_program(object_record& o);
void dissolve(object_record& o);
/// Keeps an object alive while a task or a copy uses it. Guarded by the mutex.
class used_object {
 public:
  explicit used_object(object_record& o) noexcept : record_(&o) { ++o.users; }
  used_object(used_object&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  used_object& operator=(used_object&& other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~used_object() {
    if (record_ && --record_->users == 0 && record_->is_released) dissolve(*record_);
  }

  object_record* get() const noexcept { return record_; }

 private:
  object_record* record_;
};
/// `object "u"`, or `object O12` if it has no name.
std::string describe(const object_record& r);

/// The needs of one task for one object.
struct planned {
  object_record* object = nullptr;
  execution_place* in = nullptr;  // the place whose memory serves the needs
  std::vector<data::replica_set::need> needs;
  std::vector<std::size_t> uses;  // indices of the task's uses, one per need
  data::replica_set::plan plan;
};

/// An execution place: the workers, or a device, with the memory that its tasks use. Memories without a processor
/// (shared memory, spill) are entries too. `view.index` is also the number of the memory.
struct execution_place {
  /// The first launch of a kernel here: it may include compilation, so its time is not recorded as a measurement.
  struct first_launch {
    std::uint32_t speed_number;
    std::uint64_t items;
    double seconds;
  };
  device_view view;
  device_kind kind = device_kind::host;
  device::attached_device* device = nullptr;  // null: the workers
  place processor, memory;
  data::memory_space* space = nullptr;
  std::uint32_t depth = 0;               // number of tasks issued at a time
  double issued_seconds = 0;             // predicted time of the issued tasks
  std::uint64_t leaving = 0;             // bytes that are being freed
  bool is_being_cleared = false;         // another floor has been asked to free its data in this memory
  std::uint32_t fruitless_requests = 0;  // number of such requests that found nothing
  trace::ticks last_end = 0;
  std::deque<task*> queue;                        // to be issued here, in this order; the first may wait for memory
  std::uint64_t computed = 0, brought_bytes = 0;  // launches that ended well; bytes copied to this memory
  double busy_seconds = 0;                        // of those launches, as measured on the host, without first_launches
  std::vector<first_launch> first_launches;
  bool is_lost = false;
  failure_ref lost_because;

  bool is_of(on_kinds wanted) const noexcept { return wanted.has(kind) || (device && wanted.has(device_kind::device)); }
  /// Whether it matches the tags of a launch; no kinds, or no driver, match all.
  bool is_of(on_kinds wanted, std::string_view driver) const noexcept {
    return (!wanted.are || is_of(wanted)) && (driver.empty() || view.kind == driver);
  }
};

/// The last division of a launch.
struct last_division {
  static constexpr std::size_t most = 16;  // kept per kernel
  box ids;
  coordinate grain = 1;    // of which cuts are multiples
  std::vector<box> parts;  // one per place that may run the launch
};

struct objects_state {
  explicit objects_state(bool recycles);

  std::atomic<base::runtime_context*> runtime = nullptr;  // null once the runtime has ended
  bool check = false;
  std::mutex mutex;
  std::atomic<base::thread_context*> holder{nullptr};  // holds the mutex
  std::atomic<signal*> pending_signals{nullptr};
  /// Whether ends of tasks must be handled at once, because a task waits for memory or a released object for its last
  /// use. Otherwise the next holder of the mutex handles them.
  std::atomic<bool> must_handle_ends{true};

  // Guarded by the mutex:
  // true while a memory deadlock is broken: a task that lacks memory is refused instead of waiting for other tasks
  bool is_deadlocked = false;
  std::vector<execution_place> execution_places;  // the host first
  std::vector<execution_place> shared_memories;   // memory that host and `device` use in place; no kernels run there
  std::optional<execution_place> spill;           // the file behind host memory, the last of all memories
  // null if only the host computes: tasks are issued in the order of submission
  std::shared_ptr<device_scheduler> scheduler;
  base::block_pool task_stock;
  base::block_cache task_blocks;  // declared after task_stock, so that it is destroyed first
  base::block_pool object_stock;
  base::block_cache object_blocks;
  task_slots slots;
  std::vector<task*> by_slot;
  std::vector<task*> tasks;  // all that have not ended
  std::size_t waiting = 0;   // of those, pushed to the scheduler and not popped
  std::vector<object_record*> objects;
  std::vector<object_record*> unowned_objects;  // released on a thread that has no runtime
  std::size_t released_objects = 0;             // objects that only tasks still use
  speeds measured;
  std::filesystem::path speeds_file;                                             // empty: speeds are not kept
  std::unordered_map<std::uint64_t, std::uint32_t> speed_numbers;                // by kernel and place
  std::array<std::pair<std::uint64_t, std::uint32_t>, 64> last_speed_numbers{};  // cache by a hash of the same; 0: none
  std::unordered_map<const kernel_code*, std::vector<last_division>> divisions;
  std::uint64_t positions = 0, object_numbers = 0, uses = 0;
  std::set<std::pair<const kernel_code*, std::uint32_t>> unusable;  // kernels that do not compile for a place
  /// Group sizes (items and local memory) that are too large for a kernel at a place, though not for the device: the
  /// kernel needs registers.
  std::set<std::tuple<const kernel_code*, std::uint32_t, std::int64_t, std::uint64_t>> too_large;
  // kernels of which launches ran elsewhere for lack of memory
  std::set<std::pair<const kernel_code*, std::uint32_t>> warned_of_memory;
  double bytes_per_second = 8e9;  // transfer bandwidth that schedulers assume
  std::function<void(const std::string&)> warn;
  std::shared_ptr<shared_objects> shared;  // set once; any thread
  // clears_memory (objects_floor.hpp); null: there are no other floors
  std::function<std::optional<event>(place memory)> others;

  double ns_per_tick = 1;
  std::function<std::uint64_t()> clock;  // objects_settings::clock
  /// The time by the clock that measures kernels.
  trace::ticks now() const { return clock ? clock() : trace::clock::now(); }
  short_kernels short_launches;  // any thread
  // set by a thread that submits: issue leaves a short kernel here, and the thread runs it after it has unlocked the
  // mutex
  sched::task_record** inline_task = nullptr;
  // Scratch, reused to save allocations:
  std::vector<planned> plans;
  std::vector<detail::instance_handle> made;
  data::replica_set::wait_list tokens;
  std::vector<event> waits, order;
  std::vector<task_id> predecessors;

  /// Whether submit() issues a task itself if all of its predecessors have been issued.
  bool issues_at_once() const noexcept { return !scheduler; }
  /// Whether anything but the host computes.
  bool has_choice() const noexcept { return execution_places.size() > 1; }
  /// Whether data may have to be evicted, so that the next uses matter.
  bool needs_next_uses() const noexcept { return has_choice() || spill; }
  /// Whether host and a device use this memory in place.
  bool is_shared(const execution_place& memory) const noexcept {
    return memory.device && memory.view.index >= execution_places.size();
  }
  execution_place& at(data::memory_number memory) noexcept {
    if (memory < execution_places.size()) [[likely]]
      return execution_places[memory];
    const std::size_t shared_index = memory - execution_places.size();
    return shared_index < shared_memories.size() ? shared_memories[shared_index] : *spill;
  }
  data::memory_number memories() const noexcept {
    return static_cast<data::memory_number>(execution_places.size() + shared_memories.size() + spill.has_value());
  }
  /// The memories to which data of a memory is evicted, best first. From a device, or memory shared with the host: to
  /// the host, then to another device that is directly reachable. Last, and from the host, to the spill file.
  std::vector<data::memory_number> eviction_targets(data::memory_number memory) const;
  std::uint32_t speed_number(const kernel_code& code, std::uint32_t place_index);
};

inline data::usage object_record::usage_at(const execution_place& at, data::usage how) const noexcept {
  if (!shared_memory) [[likely]]
    return how;
  if (at.device == shared_memory->device && how.is == data::usage::mode::reduce) how.side = 1;
  return how;
}

inline data::memory_number object_record::memory_for(const execution_place& at) const noexcept {
  const bool shares_memory = shared_memory && (at.view.index == 0 || at.device == shared_memory->device);
  return shares_memory ? shared_memory->view.index : at.view.index;
}

/// The state of this runtime.
const std::shared_ptr<objects_state>& state_of(const base::runtime_context& runtime) noexcept;

}  // namespace stretto::objects
