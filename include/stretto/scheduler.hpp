// scheduler.hpp - schedulers of launches on objects: four policies, and the interface to write another.
//
//     class newest_first : public device_scheduler {
//       void push(const device_task& t) override { waiting_.push_back(&t); }
//       const device_task* pop(const device_view& d) override {
//         for (auto t = waiting_.rbegin(); t != waiting_.rend(); ++t)
//           if ((*t)->may_run_on(d)) {
//             const device_task* taken = *t;
//             waiting_.erase(std::next(t).base());
//             return taken;
//           }
//         return nullptr;
//       }
//       std::vector<const device_task*> waiting_;
//     };
//     void run(void (*program)()) {
//       runtime rt({.scheduler = std::make_shared<newest_first>()});
//       rt.run(program);
//     }
//
// The runtime pushes a task once all of its predecessors have been issued to devices, not only when they have finished:
// devices keep the order of issue. A device may hold a few issued tasks. While it can take more, the runtime calls pop
// for it after each push, and whenever a task has finished on any device.
//
// Threads     the runtime calls a scheduler from any of its threads, one call at a time. A scheduler must not wait, nor
//             call the runtime.
// Cost        push and pop: 25 to 35 ns, earliest_finish 60 ns with two devices, if the first task fits. All but fifo
//             examine up to 32 waiting tasks in each pop.
// Invariants  (1) each task is pushed once, and popped once for a device that it may run on. (2) a scheduler may hold a
//             task back only while a device that it may run on has issued tasks, or pop has not been called for that
//             device since the last change.
// Source      push and pop as the whole interface: the PREMA paper on heterogeneous tasking; earliest finish: HEFT
//             (Topcuoglu, Hariri, Wu, 2002) as list scheduling in dynamic form.
#pragma once

#include <stretto/compiler.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string_view>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

/// The state of a device for schedulers.
struct device_view {
  std::uint32_t index = 0;   // 0, 1, ... of the devices of a runtime
  std::string_view name;     // "NVIDIA A100 0"
  std::string_view kind;     // its backend: "host", "sim", "opencl", "cuda"
  std::uint32_t issued = 0;  // tasks issued to it and not finished
  std::uint32_t room = 0;    // how many more tasks it can take now
};

/// A task that a device is to compute. Valid from push until `finished` has returned. Members that depend on the
/// location of data give its present state. Members never throw.
class device_task {
 public:
  /// The name of the task: its tag name("text"), or that of its kernel. Never throws.
  virtual std::string_view name() const = 0;
  /// The priority; tasks of higher priority run first. Never throws.
  virtual int priority() const = 0;
  /// Whether this device may run the task. Never throws.
  virtual bool may_run_on(const device_view& d) const = 0;
  /// The position in the order of submission: larger for later tasks. Never throws.
  virtual std::uint64_t position() const = 0;
  /// The kind of the task: tasks of one kind run the same kernel on about the same number of items. Never throws.
  virtual std::uint64_t kind() const = 0;
  /// Bytes of the read arguments that are valid in the device's memory. Never throws.
  virtual std::uint64_t bytes_at(const device_view& d) const = 0;
  /// Bytes of the read arguments that must be copied to the device's memory. Never throws.
  virtual std::uint64_t missing_bytes(const device_view& d) const = 0;
  /// The predicted time of these copies, in seconds, from known bandwidths. Never throws.
  virtual double transfer_seconds(const device_view& d) const = 0;
  /// The predicted time of the kernel, in seconds, from measurements; nothing if this device has not run a task of this
  /// kind. Never throws.
  virtual std::optional<double> predicted_seconds(const device_view& d) const = 0;

 protected:
  ~device_task() = default;
};

/// The base class of schedulers. An exception of a member is an error of the program; members should never throw.
class device_scheduler {
 public:
  virtual ~device_scheduler() = default;

  /// Called first, with all devices, at most 64. The names in the views live as long as the scheduler. Never throws.
  virtual void start(std::span<const device_view>) {}
  /// Adds a task that may be issued from now on. Never throws.
  virtual void push(const device_task& t) = 0;
  /// Removes and returns the task to be issued to this device next; null for none. Never throws.
  virtual const device_task* pop(const device_view& d) = 0;
  /// Called when a popped task has ended on this device. Never throws.
  virtual void finished(const device_task&, const device_view&) {}
};

/// Creates a scheduler by the name of its policy:
///
///   fifo             tasks in the order of submission, for any device
///   locality         each device gets, among the next tasks, the one with the smallest additional copy there: the
///                    bytes to copy, less those that the best device for the task would copy
///   earliest_finish  each task goes to the device that will finish it first, by measured speeds and the work that
///                    devices still have; kernels that a device has not run yet are tried there, one at a time
///   work_stealing    each task waits at the device that has most of its data; devices without work steal
///
/// All of them prefer higher priorities. All but earliest_finish never leave a device idle while a task could run on
/// it.
///
///   throws   A01 for other names
std::unique_ptr<device_scheduler> make_device_scheduler(std::string_view policy,
                                                        std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
