// device_operation.hpp - one deferred operation of a device: a kernel, a copy to it or from it, or a fill.
//
// If all preconditions have ended, or are operations of the same device that are already enqueued, the submitting call
// enqueues the operation: the device then runs them one after another without the host. The event of the operation ends
// when the device has completed it and all preconditions have ended.
//
// Threads     submit: any thread of the runtime. The end runs in a poll, or on the thread that ends the last
//             precondition.
// Cost        one pooled block, one event, one lock of the device.
// Invariants  (1) a failed precondition fails the operation. If the failure shows only later, a kernel may have run on
//             invalid data, but its results are then as poisoned as its event. (2) it is enqueued at most once.
#pragma once

#include <memory>
#include <optional>
#include <source_location>
#include <string>

#include "data/deferred.hpp"
#include "device/device_set.hpp"
#include "platform/work_item.hpp"
#include "sched/profile_state.hpp"
#include "trace/record.hpp"

namespace stretto::data {

struct deferred_report;

class device_operation : public deferred, public places::completion {
 public:
  /// `what` chooses the stream of the device, `shown` the kind of span in the trace.
  device_operation(device::attached_device& on, device::work what, trace::kind shown,
                   const std::source_location& where) noexcept;
  virtual ~device_operation() = default;

  /// Uses pooled blocks, which threads of drivers do not fragment. To be called on threads of the runtime.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory, std::size_t bytes) noexcept;

  /// Takes ownership and returns the event. `also`: more preconditions. `order`: events that must have ended, with or
  /// without failure. Throws, with nothing submitted, if there is no memory.
  static event submit(std::unique_ptr<device_operation> op, const preconditions& after, std::span<const event> also,
                      base::thread_context& context, std::span<const event> order = {});

  /// The operation for a report on hangs.
  static std::optional<deferred_report> report(const deferred& d, const deferred* at);

 protected:
  /// Puts the operation into the stream, with `done` after its last part. An exception fails the operation. Once that
  /// part is in the stream another thread may have destroyed this object.
  virtual void enqueue(device::stream& s, places::completion& done) = 0;
  /// Runs ahead of the end, with or without a failure.
  virtual void release_resources() noexcept {}
  /// "copy of instance "u" to instance "v"".
  virtual std::string describe() const = 0;
  /// The name of its span, if that says more.
  virtual std::string shown_name() const { return describe(); }
  /// For the trace: its bytes and their source, depending on the kind; and the place of the span.
  virtual std::uint64_t amount() const noexcept = 0;
  virtual place shown_at() const noexcept = 0;

  device::attached_device& on_;
  const std::source_location where_;

 private:
  static void preconditions_ended(deferred& self, failure_ref cause, base::thread_context& context) noexcept;
  static void device_ended(places::work_item& self) noexcept;
  void start(std::span<const device::attached_device::key> behind, base::thread_context& context) noexcept;
  failure_ref failed_with(std::exception_ptr why) const;
  void finish(failure_ref cause, base::thread_context& context) noexcept;
  void record(trace::ticks since, base::thread_context& context) noexcept;
  std::uint64_t& id() noexcept { return ticket_.id; }  // in the trace

  const device::work what_;
  const trace::kind shown_;
  event done_;
  bool is_chained_ = false;            // enqueued before its preconditions had ended
  bool is_reported_by_owner_ = false;  // failures are reported by the owner of the data
  device::attached_device::ticket ticket_;
  std::uint64_t cause_ = 0;  // in the trace
  std::unique_ptr<sched::profile_state> profile_;
};

}  // namespace stretto::data
