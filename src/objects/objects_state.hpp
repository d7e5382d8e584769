// objects_state.hpp - what the objects floor keeps for one runtime: where tasks are computed, which objects there are, what waits.
//
// Threads     everything behind `mutex`, but what says otherwise. Events fire on any thread: they only put their signal into
//             `arrived`, which whoever holds the mutex looks at before it lets go.
// Invariants  (1) a task is pushed to the scheduler when all that it follows has been issued, and issued once. (2) what an issued
//             task uses stays where it is until it has ended.
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

/// Something has happened, and somebody inside is to deal with it.
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
  std::uint32_t in_use = 0;  // by issued tasks that have not ended, and by the host
  std::uint64_t last_use = 0;
};

/// A submitted use that has not been issued.
struct queued_use {
  std::uint64_t position;
  box where;
};

/// Which replica has served a need as it was, as long as nothing has changed since.
struct ready_replica {
  data::memory_number in = 0;
  data::usage how = {};
  box where;
  data::replica_id use = data::no_replica;
  std::uint64_t at = 0;  // changes of the replica set; 0: none
};

/// How much of a part was valid in a memory, as long as nothing has changed since.
struct known_share {
  data::memory_number in = 0;
  box where;
  std::uint64_t elements = 0;
  std::uint64_t at = 0;  // changes of the replica set; 0: none
};

/// Of recycled memory, behind the mutex, as it goes back.
struct object_record {
  static std::unique_ptr<object_record> make(const std::shared_ptr<objects_state>& owner, const detail::object_request& r,
                                             const std::source_location& where);
  static void operator delete(object_record* o, std::destroying_delete_t) noexcept;

  std::atomic<std::uint32_t> references{1};  // by handles of the program
  const std::shared_ptr<objects_state> state;
  const box elements;
  const std::uint8_t dimensions;
  const std::uint32_t element_bytes, alignment;
  const std::string name;
  const std::source_location created;
  const std::uint64_t number;
  const execution_place* const shared_memory;  // the memory of host and device where it lives, or none

  dependencies order;
  data::replica_set replicas;
  std::vector<stored> storage;     // by replica
  std::array<ready_replica, 8> ready;  // by a hash of the need
  std::array<known_share, 8> shares;   // the same
  std::deque<queued_use> queued;   // in the order of submission
  failure_ref lost_because;        // of the last content that was lost
  std::uint32_t users = 0;         // tasks, and copies on their way
  std::uint32_t unissued = 0;      // of the tasks, until others may follow
  bool is_released = false;          // by the program
  std::size_t place = 0;           // among its state's

  /// Elements of the part that are valid there.
  std::uint64_t valid_elements(data::memory_number in, const box& where);
  /// Where whoever is computed there uses it.
  data::memory_number memory_for(const execution_place& at) const noexcept;
  std::uint64_t valid_for(const execution_place& at, const box& where) { return valid_elements(memory_for(at), where); }
  /// Contributions of the host and of a device to one memory are not atomic to one another: they take turns.
  data::usage usage_at(const execution_place& at, data::usage how) const noexcept;
  /// Where content of a memory goes that has to leave, best first.
  std::vector<data::memory_number> beneath(data::memory_number memory) const;

 private:
  object_record(std::shared_ptr<objects_state> owner, const detail::object_request& r, const std::source_location& where);
};
/// The program has let it go: it ends with the last that uses it. Behind the mutex, as dissolve, after which it is gone.
void release_by_program(object_record& o);
void dissolve(object_record& o);
/// An object for as long as something uses it; behind the mutex.
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

/// What one object needs for one task.
struct planned {
  object_record* object = nullptr;
  execution_place* in = nullptr;             // whose memory they are served in
  std::vector<data::replica_set::need> needs;
  std::vector<std::size_t> uses;  // of the task, one per need
  data::replica_set::plan plan;
};

/// Where tasks are computed, and the memory that they work on: of the workers, or of a device; or a memory alone, where none is. Its
/// number is that of the memory.
struct execution_place {
  /// A launch that is no measure of its kernel.
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
  std::uint32_t depth = 0;    // tasks that it takes at a time
  double issued_seconds = 0;  // of tasks that it was issued, as far as is known
  std::uint64_t leaving = 0;  // bytes that are on their way out
  bool is_being_cleared = false;  // another floor has been asked for what it has in its memory
  std::uint32_t fruitless_requests = 0;  // how often that was nothing
  trace::ticks last_end = 0;
  std::deque<task*> queue;    // to be issued here, in this order; the first may have no room yet
  std::uint64_t computed = 0, brought_bytes = 0;  // launches that ended well; copies to it
  double busy_seconds = 0;    // of those launches, as far as the host can tell, without
  std::vector<first_launch> first_launches;
  bool is_lost = false;
  failure_ref lost_because;

  bool is_of(on_kinds wanted) const noexcept { return wanted.has(kind) || (device && wanted.has(device_kind::device)); }
  /// As the tags of a launch say: no kinds, or no driver, are any.
  bool is_of(on_kinds wanted, std::string_view driver) const noexcept {
    return (!wanted.are || is_of(wanted)) && (driver.empty() || view.kind == driver);
  }
};

/// How a launch was divided the last time.
struct kept_division {
  static constexpr std::size_t most = 16;  // of one kernel
  box ids;
  coordinate grain = 1;    // cuts lay on multiples of it
  std::vector<box> parts;  // by site that may compute it
};

struct objects_state {
  explicit objects_state(bool recycles);

  std::atomic<base::runtime_context*> runtime = nullptr;  // null once the runtime has ended
  bool check = false;
  std::mutex mutex;
  std::atomic<base::thread_context*> holder{nullptr};  // of the mutex
  std::atomic<signal*> pending_signals{nullptr};
  /// Somebody waits for tasks to end: room, or an object that the program has let go. Else who ends leaves the news for others.
  std::atomic<bool> must_handle_ends{true};

  // Behind the mutex:
  bool is_deadlocked = false;  // all wait for room, and nothing is under way: who waits for others' ends to find some does so no longer
  std::vector<execution_place> execution_places;  // the host first
  std::vector<execution_place> shared_memories;  // that host and a device use in place: of `device`, which computes elsewhere
  std::optional<execution_place> spill;  // memory behind the host's, the last of all
  std::shared_ptr<device_scheduler> scheduler;  // null where the host computes all in its own order: tasks are issued as submitted
  base::block_stock task_stock;
  base::block_cache task_blocks;  // after their stock
  base::block_stock object_stock;
  base::block_cache object_blocks;
  task_slots slots;
  std::vector<task*> by_slot;
  std::vector<task*> tasks;             // all that have not ended
  std::size_t waiting = 0;              // of those, pushed to the scheduler and not popped
  std::vector<object_record*> objects;
  std::vector<object_record*> unowned_objects;  // let go of where there was no runtime
  std::size_t released_objects = 0;               // objects that only tasks use any more
  speeds measured;
  std::filesystem::path speeds_file;    // empty: they are not kept
  std::unordered_map<std::uint64_t, std::uint32_t> speed_numbers;  // by kernel and site
  std::array<std::pair<std::uint64_t, std::uint32_t>, 64> last_speed_numbers{};  // by a hash of the same; 0: none
  std::unordered_map<const kernel_code*, std::vector<kept_division>> divisions;
  std::uint64_t positions = 0, object_numbers = 0, uses = 0;
  std::set<std::pair<const kernel_code*, std::uint32_t>> unusable;  // kernels that do not compile for a site
  /// Groups, by their items and local memory, that are too large for a kernel at a site though not for the device: it takes registers.
  std::set<std::tuple<const kernel_code*, std::uint32_t, std::int64_t, std::uint64_t>> too_large;
  std::set<std::pair<const kernel_code*, std::uint32_t>> warned_of_memory;  // whose launches ran elsewhere because there was none
  double bytes_per_second = 8e9;        // of transfers, as schedulers are told
  std::function<void(const std::string&)> warn;
  std::shared_ptr<shared_objects> shared;  // set once; any thread
  std::function<std::optional<event>(place memory)> others;  // clears_memory (objects_floor.hpp); null: there are none

  double ns_per_tick = 1;
  bool counts_time = false;
  std::atomic<trace::ticks> asked{0};  // for the time, where it is counted
  /// What kernels take is measured by it.
  trace::ticks now() noexcept { return counts_time ? asked.fetch_add(1, std::memory_order_relaxed) : trace::clock::now(); }
  short_kernels short_launches;  // any thread
  sched::task_record** inline_task = nullptr;  // where whoever submits takes one that is short, to run it once it has let go of the mutex
  // Kept from one task to the next for their room:
  std::vector<planned> plans;
  std::vector<detail::instance_handle> made;
  data::replica_set::wait_list tokens;
  std::vector<event> waits, order;
  std::vector<task_id> predecessors;

  /// Whether tasks are issued in the call that submits them, where nothing that they follow is in the way.
  bool issues_at_once() const noexcept { return !scheduler; }
  /// Whether anything but the host computes.
  bool has_choice() const noexcept { return execution_places.size() > 1; }
  /// Whether content may have to leave a memory, so that it matters what is needed next.
  bool looks_ahead() const noexcept { return has_choice() || spill; }
  /// Whether it is memory that the host and a device use in place.
  bool is_shared(const execution_place& memory) const noexcept { return memory.device && memory.view.index >= execution_places.size(); }
  execution_place& at(data::memory_number memory) noexcept {
    if (memory < execution_places.size()) [[likely]] return execution_places[memory];
    const std::size_t shared_index = memory - execution_places.size();
    return shared_index < shared_memories.size() ? shared_memories[shared_index] : *spill;
  }
  data::memory_number memories() const noexcept {
    return static_cast<data::memory_number>(execution_places.size() + shared_memories.size() + spill.has_value());
  }
  /// Where content of a memory goes that has to leave, best first: from a device, or what it shares with the host, to the host, or where
  /// that is full from a device to another that it reaches; else, and from the host, to the file.
  std::vector<data::memory_number> beneath(data::memory_number memory) const;
  std::uint32_t speed_number(const kernel_code& code, std::uint32_t place_index);
};

inline data::usage object_record::usage_at(const execution_place& at, data::usage how) const noexcept {
  if (!shared_memory) [[likely]] return how;
  if (at.device == shared_memory->device && how.is == data::usage::mode::reduce) how.side = 1;
  return how;
}

inline data::memory_number object_record::memory_for(const execution_place& at) const noexcept {
  const bool shares_memory = shared_memory && (at.view.index == 0 || at.device == shared_memory->device);
  return shares_memory ? shared_memory->view.index : at.view.index;
}

/// Of this runtime.
const std::shared_ptr<objects_state>& state_of(const base::runtime_context& runtime) noexcept;

}  // namespace stretto::objects
