// device_set.hpp - the devices of one runtime: at places of its platform, with their streams, and polled.
//
// Threads     any thread of the runtime once it runs; made, and its places and channels added, by the thread that makes it.
// Cost        enqueue: a lock of the device, and the driver's own cost.
// Invariants  (1) what is enqueued behind operations that are under way starts after them, without the host. (2) while an
//             operation is under way the set has something pending, and is polled.
// Source      several kernel streams and a stream per direction of copies: the PREMA paper, "request pools and streams".
#pragma once

#include <stretto/platform.hpp>
#include <stretto/poller.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/spin_lock.hpp"
#include "device/backend.hpp"
#include "device/key_table.hpp"
#include "trace/recorder.hpp"

namespace stretto::device {

class device_set;

struct stream_options {
  unsigned kernels = 5;     // streams for kernels, 1 or more
  bool has_copy_streams = true;  // copies go in a stream per direction; else among the kernels
};

/// What an operation does, which says in which of the streams it goes.
enum class work : std::uint8_t { kernel, to_device, to_host };

/// A device of a runtime.
class attached_device {
 public:
  attached_device(device_set& owner, opened_device f, std::string name, const stream_options& o);

  device& is() const noexcept { return *is_; }
  const std::string& name() const noexcept { return name_; }  // of its place: "opencl_0"
  place processor() const noexcept { return processor_; }
  place memory() const noexcept { return memory_; }
  /// Memory of the host that its kernels use in place; none where it has none.
  place host_memory() const noexcept { return host_memory_; }

  /// What stands for an operation that others may be enqueued behind: any number, used once; 0 where nobody will be.
  using key = std::uint64_t;
  /// Where an operation went.
  struct ticket {
    std::size_t slot = 0;
    std::uint64_t number = 0;  // in the lane
    trace::ticks since = 0;
    std::uint64_t id = 0;     // in the trace; the caller's, before it enqueues
    std::uint64_t cause = 0;  // what it was enqueued behind, the latest of that, in the trace
  };

  /// Whether it was enqueued here and has not ended.
  bool is_under_way(key k) const;
  /// Calls `into` with a stream, for it to enqueue one operation with a completion of the caller's; starts it after those of
  /// `behind` that are under way. `where` is written before its completion can run. What `into` throws comes back, and
  /// nothing is under way.
  void enqueue(work what, std::span<const key> behind, key mine, ticket& where, const std::function<void(stream&)>& into);
  /// Its completion runs. Returns since when it had its stream for itself, as far as the host can tell.
  trace::ticks ended(key mine, const ticket& where) noexcept;
  /// Puts a span on the track of its stream. Only from within a completion.
  void record(const ticket& where, const trace::record& span) noexcept;

 private:
  friend class device_set;

  struct stream_slot {
    std::unique_ptr<stream> is;    // made when first used; of who enqueues
    std::uint64_t enqueued = 0;    // of who enqueues
    trace::ticks last_end = 0;     // under the lock of the table
    trace::ring* ring = nullptr;   // made with the first span; only completions use it
  };
  static constexpr std::size_t slot_to_device = 0, slot_to_host = 1, first_kernel_slot = 2;

  const bool has_copy_streams_;

  std::size_t slot_for(work what, std::span<const ticket> behind) noexcept;
  stream& stream_of(std::size_t slot);

  device_set& owner_;
  const std::unique_ptr<device> is_;
  const std::string name_;
  place processor_, memory_, host_memory_;

  std::vector<stream_slot> slots_;  // each by whom its members say

  // What is enqueued: held while a driver takes an operation over, before the other one.
  std::mutex order_mutex_;
  std::size_t next_kernel_slot_ = 0;
  std::vector<ticket> waits_;  // of one call of enqueue

  // What is under way, and the ends of lanes: held for moments, so that completions do not wait for drivers.
  mutable base::spin_lock table_lock_;
  key_table<ticket> under_way_;
};

class device_set final : public poller {
 public:
  device_set(std::vector<opened_device> open, const stream_options& of_each);
  ~device_set() override { stop_notifying(); }

  bool is_empty() const noexcept { return all_.empty(); }
  std::span<const std::unique_ptr<attached_device>> all() const noexcept { return all_; }

  /// Whether who waits for one of them had better look for a while than sleep.
  bool prefers_spinning() const noexcept;

  /// The machine with a gpu and a gpu_memory for each device, named <backend>_<number> and <backend>_<number>_memory, and where
  /// it has such a pinned_memory <backend>_<number>_host_memory; places of those names and kinds that the machine has already
  /// are theirs.
  platform extended(const platform& machine);
  /// Where spans go; before the first operation. None are kept without it.
  void record_into(trace::recorder& r) noexcept { recorder_ = &r; }

  /// From now on every device is asked apart, by poll_one; nobody else asks. Or again by whoever polls.
  void poll_separately(bool apart) noexcept;
  std::size_t poll_one(std::size_t number);

  /// Drivers' threads call nobody from now on; what ends is seen by whoever polls. None is inside a call when this returns.
  void stop_notifying() noexcept;

  /// The device whose processor or memory it is; null if it is none.
  attached_device* at(place p) const noexcept { return p.index < by_place_.size() ? by_place_[p.index] : nullptr; }
  /// The device whose kernels use that memory of the host in place; null if none does.
  attached_device* sharing(place p) const noexcept;

 protected:
  std::size_t poll() override;
  bool will_call() noexcept override;
  void fail(std::exception_ptr why) noexcept override;

 private:
  friend class attached_device;

  std::vector<std::unique_ptr<attached_device>> all_;
  trace::recorder* recorder_ = nullptr;
  std::vector<attached_device*> by_place_;
  const std::shared_ptr<completion_notifier> notifier_;
  std::atomic<bool> notifies_{true};
};

}  // namespace stretto::device
