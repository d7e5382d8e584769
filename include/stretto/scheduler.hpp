// scheduler.hpp - who decides which device computes which task: four policies, and the interface to write another.
//
//     class newest_first : public stretto::device_scheduler {
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
//
// A task is pushed once all tasks that it follows have been issued to devices, not when they have finished: devices
// order what they were issued. A device may hold a few issued tasks; while it has room, it is asked for one after each
// push, and whenever a task has finished somewhere.
//
// Threads     calls of a scheduler come one at a time, from any thread of the runtime. They must not wait, nor call the
//             runtime.
// Cost        push and pop: 25 to 35 ns, earliest_finish 60 with two devices, where the first task will do; all but
//             fifo may look at up to 32 waiting tasks in each pop.
// Invariants  (1) each task is pushed once, and popped once, by a device that it may run on. (2) a scheduler may keep a
//             task waiting only while some device that it may run on has issued tasks, or has not been asked since the
//             last change.
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

/// A device, as schedulers see it.
struct device_view {
  std::uint32_t index = 0;   // 0, 1, ... of the devices of a runtime
  std::string_view name;     // "NVIDIA A100 0"
  std::string_view kind;     // its backend: "host", "sim", "opencl", "cuda"
  std::uint32_t issued = 0;  // tasks that it was issued and has not finished
  std::uint32_t room = 0;    // how many more it would take now
};

/// A task that is to be computed on a device. Valid from push until `finished` has returned. What depends on where data
/// is, is answered as of now.
class device_task {
 public:
  virtual std::string_view name() const = 0;
  /// Larger first.
  virtual int priority() const = 0;
  virtual bool may_run_on(const device_view& d) const = 0;
  /// Rises in the order of submission.
  virtual std::uint64_t position() const = 0;
  /// Tasks of the same kind run the same kernel on about as many items.
  virtual std::uint64_t kind() const = 0;
  /// Of the arguments whose content is needed, what lies in the device's memory, and what must be brought there.
  virtual std::uint64_t bytes_at(const device_view& d) const = 0;
  virtual std::uint64_t missing_bytes(const device_view& d) const = 0;
  /// How long bringing it there will take, by the bandwidths known.
  virtual double transfer_seconds(const device_view& d) const = 0;
  /// How long the kernel will take, by what was measured; nothing if this device has not computed its like.
  virtual std::optional<double> predicted_seconds(const device_view& d) const = 0;

 protected:
  ~device_task() = default;
};

/// To be derived from.
class device_scheduler {
 public:
  virtual ~device_scheduler() = default;

  /// Before all else; at most 64 devices. The views' names live as long as the scheduler.
  virtual void start(std::span<const device_view>) {}
  /// The task may be issued from now on.
  virtual void push(const device_task& t) = 0;
  /// The task that this device is to be issued next, or null. It has left the scheduler.
  virtual const device_task* pop(const device_view& d) = 0;
  /// A popped task has ended on this device.
  virtual void finished(const device_task&, const device_view&) {}
};

/// Makes a scheduler by its name:
///
///   fifo             in the order of submission, whoever asks
///   locality         whoever asks gets, among the next tasks, the one that is best placed there
///   earliest_finish  each task goes where it will end first, by measured speeds and by what devices have still to do;
///                    kernels that a device has not run yet are tried there, one at a time
///   work_stealing    each task waits at the device that has most of its data; devices without work take from the
///                    others
///
/// All of them take larger priorities first, and all but earliest_finish never leave a device without work that it
/// could do.
///
///   throws   A01 for other names
std::unique_ptr<device_scheduler> make_device_scheduler(std::string_view policy,
                                                        std::source_location where = std::source_location::current());

}  // namespace stretto

STRETTO_API_END
