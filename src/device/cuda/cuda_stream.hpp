// cuda_stream.hpp - a stream of the driver, and the completions that wait for what is in it.
//
// Threads     any; one lock per stream. Completions run in the device's poll(), outside of it.
// Cost        an operation with a completion records an event; nothing is called back, nothing waits.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "device/copy_kernels.hpp"
#include "device/cuda/cuda_program.hpp"
#include "device/device.hpp"

namespace stretto::device::cuda {

class cuda_device;

struct cuda_mark final : mark::state {
  std::shared_ptr<driver> of;
  CUevent event = nullptr;  // null: the device was lost before
  ~cuda_mark() override { of->give_event(event); }
};

class cuda_stream final : public stream {
 public:
  cuda_stream(cuda_device& owner, std::shared_ptr<driver> d);
  ~cuda_stream() override;

  void notify(places::completion& done) override;
  void launch(const compiled_kernel& kernel, const launch_range& range, std::span<const launch_argument> arguments,
              places::completion* done) override;
  mark mark_here() override;
  void wait_for(const mark& m) override;

  /// Moves the completions of what has ended to `ended`, oldest first, with their failures.
  void gather(std::vector<places::completion*>& ended);

 private:
  void copy_some(const copy_end& source, const copy_end& target, places::copy_shape shape,
                 places::completion* done) override;
  void fill_some(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
                 places::completion* done) override;

  struct waiting {
    CUevent event;  // null: the device was lost before it began
    places::completion* done;
  };
  /// Runs `calls`, which enqueue by the driver's calls, and then has `done` wait for them; false if they say that they cannot.
  /// What a lost device refuses ends with K31; what is refused for another reason throws K43.
  template <class Calls>
  bool enqueue(places::completion* done, Calls&& calls);
  void launch_rows(const row_launch& rows, places::completion* done);

  cuda_device& owner_;
  const std::shared_ptr<driver> driver_;
  std::mutex mutex_;
  CUstream stream_ = nullptr;
  std::deque<waiting> waiting_;
};

}  // namespace stretto::device::cuda
