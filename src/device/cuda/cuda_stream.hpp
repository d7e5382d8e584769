// cuda_stream.hpp - a CUDA stream, and the completions of its pending operations.
//
// Threads     any; one lock per stream. Completions run in the device's poll(), without it.
// Cost        one flag write or event for several operations with a completion, see stream_completion_queue. No
//             callbacks, no blocking. If a flag is late, the stream occasionally queries the driver whether the
//             device still works.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "device/copy_kernels.hpp"
#include "device/cuda/cuda_launch.hpp"
#include "device/cuda/cuda_native.hpp"
#include "device/cuda/cuda_program.hpp"
#include "device/device.hpp"
#include "device/stream_completion_queue.hpp"
#include "device/stream_registry.hpp"

namespace stretto::device::cuda {

struct cuda_marker final : stream_marker::state {
  std::shared_ptr<driver> of;
  CUevent event = nullptr;  // null: the device was lost before
  ~cuda_marker() override { of->release_event(event); }
};

class cuda_stream final : public stream, public polled_stream {
 public:
  cuda_stream(device& on, stream_registry& polled, std::shared_ptr<driver> d);
  ~cuda_stream() override;

  void notify(places::completion& done) override;
  void finish() override;
  void launch(const compiled_kernel& kernel, const launch_range& range, std::span<const launch_argument> arguments,
              places::completion* done) override;
  stream_marker record_marker() override;
  void wait_for(const stream_marker& m) override;

  void collect(std::vector<places::completion*>& ended) override;
  bool may_have_ended() const noexcept override;

 private:
  void copy_some(const copy_end& source, const copy_end& target, places::copy_shape shape,
                 places::completion* done) override;
  void fill_some(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
                 places::completion* done) override;

  /// Runs `calls`, which enqueue driver calls, and then enqueues the report of their completion to `done`. False if
  /// `calls` returns false. If the device is lost, the operation ends with K31; another failure throws K43.
  template <class Calls>
  bool enqueue(places::completion* done, Calls&& calls);
  void launch(const kernel_code& code, const loaded_kernel& f, const geometry& g, std::uint64_t local_bytes,
              void** arguments, places::completion* done);
  /// Waits for the launch to complete. Throws K01.
  void launch_checked(const cuda_program& program, const loaded_kernel& f, const geometry& g, const launch_range& range,
                      std::span<const launch_argument> arguments, places::completion* done);
  void launch_native(const cuda_native& kernel, const launch_range& range, std::span<const launch_argument> arguments,
                     places::completion* done);
  void run_native_calls(const kernel_code& code, const launch_range& range, std::span<const launch_argument> arguments,
                        places::completion* done);
  void launch_rows(const row_launch& rows, places::completion* done);
  /// A point that reports the completion of all operations before it: an event, or the value to which the stream sets
  /// its flag.
  struct end {
    CUevent event = nullptr;
    std::uint32_t count = 0;
    bool is_recorded() const noexcept { return event || count; }  // false: the device was lost before
  };
  /// The value or special state that may_have_ended compares with the flag.
  static constexpr std::uint64_t nothing = 0, anything = std::uint64_t{1} << 32, flag_value = std::uint64_t{1} << 33;
  bool is_flag_reached(std::uint32_t count) const noexcept;
  void publish_next_end() noexcept;
  CUevent record();
  end record_end();
  CUresult status_of(const end& e);
  bool is_complete(const end& e, std::exception_ptr& failure);

  device& on_;
  stream_registry& polled_;
  const std::shared_ptr<driver> driver_;
  std::mutex mutex_;
  CUstream stream_ = nullptr;
  std::atomic<bool> finished_{false};  // empty, and being destroyed
  stream_completion_queue completions_;
  std::deque<end> recorded_ends_;
  std::uint32_t* const flag_;                     // null: events are used
  std::uint32_t last_flag_value_ = 0;             // the last value that was enqueued for the flag
  std::atomic<std::uint64_t> next_end_{nothing};  // written under mutex_
  std::chrono::steady_clock::time_point last_query_;
};

}  // namespace stretto::device::cuda
