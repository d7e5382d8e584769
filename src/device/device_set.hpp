// device_set.hpp - the devices of one runtime: their places in the platform, their streams, and polling.
//
// Threads     any thread of the runtime while it runs. One thread makes the set and adds its places and channels.
// Cost        enqueue: a lock of the device, and the driver's own cost.
// Invariants  (1) an operation that is enqueued behind pending operations starts after them, without the host. (2)
//             while an operation is pending, the set counts as pending and is polled.
// Source      several kernel streams and a stream per direction of copies: the PREMA paper, "request pools and
//             streams".
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
  unsigned kernels = 5;          // kernel streams, at least 1
  bool has_copy_streams = true;  // copies have one stream per direction; false: they share the kernel streams
};

/// The kind of an operation, which decides in which streams it may run.
enum class work : std::uint8_t { kernel, to_device, to_host };

/// A device of a runtime.
class attached_device {
 public:
  attached_device(device_set& owner, opened_device f, std::string name, const stream_options& o);

  device& is() const noexcept { return *is_; }
  const std::string& name() const noexcept { return name_; }  // the name of its place: "opencl_0"
  place processor() const noexcept { return processor_; }
  place memory() const noexcept { return memory_; }
  /// The place of the host memory that its kernels access in place; none if there is no such memory.
  place host_memory() const noexcept { return host_memory_; }

  /// Identifies an operation that others may be enqueued behind. Any number, used once; 0 if no operation will
  /// follow.
  using key = std::uint64_t;
  /// The position of an enqueued operation.
  struct ticket {
    std::size_t slot = 0;
    std::uint64_t number = 0;  // position in the slot, from 1
    trace::ticks since = 0;
    std::uint64_t id = 0;     // in the trace; the caller sets it before it enqueues
    std::uint64_t cause = 0;  // in the trace: the latest operation that it was enqueued behind
  };

  /// Whether the operation was enqueued on this device and has not completed.
  bool is_under_way(key k) const;
  /// Calls `into` with a stream, into which it must enqueue one operation with a completion. The operation starts
  /// after those operations of `behind` that are pending. `where` is written before the completion can run. If `into`
  /// throws, the exception is passed on and nothing is pending.
  void enqueue(work what, std::span<const key> behind, key mine, ticket& where,
               const std::function<void(stream&)>& into);
  /// A stream of the caller's own.
  std::unique_ptr<stream> make_stream();
  /// stream::notify() of such a stream. If it throws, nothing is pending.
  void notify(stream& own, places::completion& done);
  /// Called when the completion runs. Returns the time since which the operation had its stream to itself, as far as
  /// the host can tell.
  trace::ticks ended(key mine, const ticket& where) noexcept;
  /// Adds a span to the trace of its stream. May be called from a completion only.
  void record(const ticket& where, const trace::record& span) noexcept;

 private:
  friend class device_set;

  struct stream_slot {
    std::unique_ptr<stream> is;   // created on first use; used by enqueuing threads
    std::uint64_t enqueued = 0;   // used by enqueuing threads
    trace::ticks last_end = 0;    // guarded by table_lock_
    trace::ring* ring = nullptr;  // created with the first span; used by completions only
  };
  static constexpr std::size_t slot_to_device = 0, slot_to_host = 1, first_kernel_slot = 2;

  const bool has_copy_streams_;

  std::size_t slot_for(work what, std::span<const ticket> behind) noexcept;
  stream& stream_of(std::size_t slot);

  device_set& owner_;
  const std::unique_ptr<device> is_;
  const std::string name_;
  place processor_, memory_, host_memory_;

  std::vector<stream_slot> slots_;  // see the members for the threads that use them

  // Guards enqueuing; held while a driver accepts an operation. Locked before table_lock_.
  std::mutex order_mutex_;
  std::size_t next_kernel_slot_ = 0;
  std::vector<ticket> waits_;  // scratch of one call of enqueue

  // Guards pending operations and the times of slots. Held briefly, so that completions do not wait for drivers.
  mutable base::spin_lock table_lock_;
  key_table<ticket> under_way_;
};

class device_set final : public poller {
 public:
  device_set(std::vector<opened_device> open, const stream_options& of_each);
  ~device_set() override { stop_notifying(); }

  bool is_empty() const noexcept { return all_.empty(); }
  std::span<const std::unique_ptr<attached_device>> all() const noexcept { return all_; }

  /// Whether a thread that waits for a device should spin before it sleeps.
  bool prefers_spinning() const noexcept;

  /// The machine with a gpu and a gpu_memory place for each device, named <backend>_<number> and
  /// <backend>_<number>_memory, and with a pinned_memory place <backend>_<number>_host_memory for a device that has
  /// such memory. Places of these names and kinds that the machine has already are used.
  platform extended(const platform& machine);
  /// Sets the recorder of spans; must precede the first operation. Without it no spans are recorded.
  void record_into(trace::recorder& r) noexcept { recorder_ = &r; }

  /// True: from now on each device is polled by poll_one only. False: the set is polled as a whole again.
  void poll_separately(bool apart) noexcept;
  std::size_t poll_one(std::size_t number);

  /// From now on drivers' threads notify no one, and completions are found by polling. No thread is inside a
  /// notification when this returns.
  void stop_notifying() noexcept;

  /// The device whose processor or memory is `p`; null if there is none.
  attached_device* at(place p) const noexcept { return p.index < by_place_.size() ? by_place_[p.index] : nullptr; }
  /// The device whose kernels access the host memory `p` in place; null if there is none.
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
