// opencl_stream.hpp - an in-order queue, and the completions that wait for what is in it.
//
// Threads     any; one lock per stream. Completions are collected under it and run by the device, outside of it.
// Cost        an event of the driver's for several operations, see stream_completion_queue; arguments of a kernel that are those of its
//             last launch here are not set again. Flushed where the queue was idle or runs dry.
// Invariants  the oldest event under way has been flushed.
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
  class words_buffer;

  /// Throws K31.
  void require_device() const;

  /// A kernel object of this stream, and the arguments that it was given last.
  struct prepared {
    cl_kernel kernel = nullptr;
    std::vector<std::vector<std::byte>> given;
    std::vector<part_of_buffer> parts;  // of a native kernel: what arrays are handed over as
  };

  /// Where the driver puts the event of the operation that is enqueued next; null where an event behind it will tell.
  cl_event* event_for(const places::completion* done) noexcept;
  void enqueued(places::completion* done);
  void put_event();
  bool make_oldest_notify(const std::shared_ptr<completion_notifier>& b) noexcept;
  bool has_ended(cl_event e, std::exception_ptr& failure) const;
  std::exception_ptr failed(cl_int status) const;
  void transfer_rows(const transfer& t, cl_event* event);
  template <class Program>
  prepared& kernel_for(const Program& p, variant v);
  void launch_native(const opencl_native& kernel, const launch_range& range, std::span<const launch_argument> arguments,
                     places::completion* done);
  void make_calls(const kernel_code& code, const launch_range& range, std::span<const launch_argument> arguments);
  void set(prepared& k, cl_uint n, std::size_t bytes, const void* value);
  /// A value, or the size of local memory; false, and nothing set, for an array.
  bool set_plain(prepared& k, cl_uint n, const kernel_parameter& p, const kernel_argument& a);

  device& on_;
  stream_registry& polled_;
  const std::shared_ptr<driver> driver_;
  const opencl_memory& memory_;  // the device's
  std::mutex mutex_;
  cl_command_queue queue_ = nullptr;
  bool flushed_ = true;  // everything in the queue is on its way
  std::atomic<bool> finished_{false};  // it is empty, and about to go
  cl_event next_ = nullptr;      // of the operation that is being enqueued
  stream_completion_queue completions_;
  std::deque<cl_event> events_;  // that tell of them
  bool oldest_notifies_ = false;    // the first of these rings the bell
  std::vector<array_layout> layouts_;  // of one launch, and
  std::vector<std::byte> together_;    // with its range
  using prepared_kernels = std::map<std::pair<const compiled_kernel*, variant>, prepared>;
  prepared_kernels kernels_;
  prepared_kernels::value_type* last_ = nullptr;  // that was launched
};

}  // namespace stretto::device::opencl
