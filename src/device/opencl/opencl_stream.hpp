// opencl_stream.hpp - an in-order queue, and the completions of its pending operations.
//
// Threads     any; one lock per stream. Completions are collected under it and run by the device without it.
// Cost        one driver event for several operations, see stream_completion_queue. Kernel arguments that equal those
//             of the last launch in this stream are not set again. The queue is flushed if it was idle or runs empty.
// Invariants  the oldest pending event has been flushed.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "device/opencl/opencl_memory.hpp"
#include "device/opencl/opencl_native.hpp"
#include "device/opencl/opencl_program.hpp"
#include "device/stream_completion_queue.hpp"
#include "device/stream_registry.hpp"

namespace stretto::device::opencl {

struct opencl_marker final : stream_marker::state {
  std::shared_ptr<driver> of;
  cl_event event = nullptr;
  ~opencl_marker() override {
    if (event) of->cl->clReleaseEvent(event);
  }
};

class opencl_stream final : public stream, public polled_stream {
 public:
  opencl_stream(device& on, stream_registry& polled, std::shared_ptr<driver> d, const opencl_memory& memory);
  ~opencl_stream() override;

  void notify(places::completion& done) override;
  void finish() override;
  void launch(const compiled_kernel& kernel, const launch_range& range, std::span<const launch_argument> arguments,
              places::completion* done) override;
  stream_marker record_marker() override;
  void wait_for(const stream_marker& m) override;

  void collect(std::vector<places::completion*>& ended) override;
  bool will_notify() noexcept override;

 private:
  void copy_some(const copy_end& source, const copy_end& target, places::copy_shape shape,
                 places::completion* done) override;
  void fill_some(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
                 places::completion* done) override;

  struct transfer;
  class check_buffer;

  /// Throws K31.
  void require_device() const;

  /// A kernel object of this stream, and the arguments that were set last.
  struct prepared {
    cl_kernel kernel = nullptr;
    std::vector<std::vector<std::byte>> given;
    std::vector<part_of_buffer> parts;  // the sub-buffers that are passed for arrays of a native kernel
  };

  /// The address at which the driver stores the event of the next operation; null if a later event will cover it.
  cl_event* event_for(const places::completion* done) noexcept;
  void enqueued(places::completion* done);
  void record_event();
  bool make_oldest_notify(const std::shared_ptr<completion_notifier>& b) noexcept;
  bool has_ended(cl_event e, std::exception_ptr& failure) const;
  std::exception_ptr failed(cl_int status) const;
  void transfer_rows(const transfer& t, cl_event* event);
  template <class Program>
  prepared& kernel_for(const Program& p, variant v);
  void launch_native(const opencl_native& kernel, const launch_range& range, std::span<const launch_argument> arguments,
                     places::completion* done);
  void run_native_calls(const kernel_code& code, const launch_range& range, std::span<const launch_argument> arguments);
  void set(prepared& k, cl_uint n, std::size_t bytes, const void* value);
  /// Sets a value or the size of local memory. Returns false, and sets nothing, for an array.
  bool set_plain(prepared& k, cl_uint n, const kernel_parameter& p, const kernel_argument& a);

  device& on_;
  stream_registry& polled_;
  const std::shared_ptr<driver> driver_;
  const opencl_memory& memory_;  // memory of the device
  std::mutex mutex_;
  cl_command_queue queue_ = nullptr;
  bool flushed_ = true;                // all enqueued commands have been flushed
  std::atomic<bool> finished_{false};  // empty, and being destroyed
  cl_event next_ = nullptr;            // event of the operation that is being enqueued
  stream_completion_queue completions_;
  std::deque<cl_event> events_;        // events of completions_
  bool oldest_notifies_ = false;       // the oldest event will call the notifier
  std::vector<array_layout> layouts_;  // scratch: the array layouts of one launch
  std::vector<std::byte> together_;    // scratch: the launch layout followed by layouts_
  using prepared_kernels = std::map<std::pair<const compiled_kernel*, variant>, prepared>;
  prepared_kernels kernels_;
  prepared_kernels::value_type* last_ = nullptr;  // the kernel that was launched last
};

}  // namespace stretto::device::opencl
