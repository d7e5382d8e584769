// opencl_stream.hpp - an in-order queue, and the completions that wait for what is in it.
//
// Threads     any; one lock per stream. Completions are collected under it and run by the device, outside of it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/device.hpp"
#include "device/opencl/opencl_program.hpp"

namespace stretto::device::opencl {

class opencl_device;

struct opencl_mark final : mark::state {
  std::shared_ptr<driver> of;
  cl_event event = nullptr;
  ~opencl_mark() override {
    if (event) of->cl->clReleaseEvent(event);
  }
};

/// The buffer that is a device's memory, and the addresses that stand for it.
struct opencl_memory {
  cl_mem buffer = nullptr;
  std::byte* first = nullptr;
  std::size_t offset_of(const std::byte* address) const noexcept { return static_cast<std::size_t>(address - first); }
};

class opencl_stream final : public stream {
 public:
  opencl_stream(opencl_device& owner, std::shared_ptr<driver> d, opencl_memory memory);
  ~opencl_stream() override;

  void notify(places::completion& done) override;
  void launch(const compiled_kernel& kernel, const launch_range& range, std::span<const launch_argument> arguments,
              places::completion* done) override;
  mark mark_here() override;
  void wait_for(const mark& m) override;

  /// Adds the completions of what has ended, oldest first; whoever takes them runs them.
  void collect(std::vector<places::completion*>& ended);

 private:
  void copy_some(const copy_end& source, const copy_end& target, places::copy_shape shape,
                 places::completion* done) override;
  void fill_some(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
                 places::completion* done) override;

  struct waiting {
    cl_event event;
    places::completion* done;
  };
  struct transfer;

  void enqueued(cl_event event, places::completion* done);
  void transfer_rows(const transfer& t, cl_event* event);
  cl_kernel kernel_for(const opencl_program& p, variant v);

  opencl_device& owner_;
  const std::shared_ptr<driver> driver_;
  const opencl_memory memory_;
  std::mutex mutex_;
  cl_command_queue queue_ = nullptr;
  bool flushed_ = true;  // everything in the queue is on its way
  std::deque<waiting> waiting_;
  std::map<std::pair<const opencl_program*, variant>, cl_kernel> kernels_;
};

}  // namespace stretto::device::opencl
