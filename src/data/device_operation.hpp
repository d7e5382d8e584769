// device_operation.hpp - one deferred action of a device: a kernel, a copy to it or from it, a fill.
//
// An operation whose preconditions are all over, or under way on the same device, is enqueued in the call that submits it: the
// device goes from one to the next by itself. It ends, for the host, when it has and they have.
//
// Threads     submit: any thread of the runtime. The end runs in a poll, or wherever the last precondition ended.
// Cost        one recycled block, one event, a lock of the device.
// Invariants  (1) a failed precondition fails it; where that shows only later, a kernel may have run on what was there, but
//             what it wrote is as poisoned as its event. (2) it is enqueued once, or not at all.
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

struct told_deferred;

class device_operation : public deferred, public places::completion {
 public:
  /// Of what `is` shows in the trace, and which of the device's streams it takes.
  device_operation(device::attached_device& on, device::work what, trace::kind shown, const std::source_location& where) noexcept;
  virtual ~device_operation() = default;

  /// Of recycled blocks, as the driver's threads come and go in the heap. On threads of the runtime.
  static void* operator new(std::size_t bytes);
  static void operator delete(void* memory, std::size_t bytes) noexcept;

  /// Takes it over and returns its event. `also`: events that it waits for beside `after`; `order`: events that only
  /// have to have ended, well or not. Throws, with nothing submitted, if there is no memory.
  static event submit(std::unique_ptr<device_operation> op, const preconditions& after, std::span<const event> also,
                      base::thread_context& context, std::span<const event> order = {});

  /// For reports.
  static std::optional<told_deferred> tell(const deferred& d, const deferred* at);

 protected:
  /// Puts it into the stream, with `done` behind the last part. What it throws fails the operation.
  virtual void enqueue(device::stream& s, places::completion& done) = 0;
  /// "copy of instance "u" to instance "v"".
  virtual std::string describe() const = 0;
  /// The name of its span, where that says more.
  virtual std::string shown_name() const { return describe(); }
  /// For the trace: bytes and where they came from, as its kind says; and where it shows.
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
  bool is_chained_ = false;  // enqueued before its preconditions have ended
  bool is_told_by_owner_ = false;  // should it fail
  device::attached_device::ticket ticket_;
  std::uint64_t cause_ = 0;  // in the trace
  std::unique_ptr<sched::profile_state> profile_;
};

}  // namespace stretto::data
