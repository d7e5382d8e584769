// cuda_graph.hpp - a captured CUDA graph, which enqueue() takes as a body.
//
// Threads     a value; copies mean the same graph. Any number of operations may launch it at the same time.
// Cost        a launch: one call of the driver.
// Invariants  a graph must be destroyed before the runtime ends in which it was captured.
#pragma once

#include <stretto/native_kernel.hpp>
#include <stretto_devices/cuda_handles.hpp>

#include <functional>
#include <memory>

namespace stretto {

/// A stream that a body gets; its context is current. On a simulated device both are null, and the arrays' `data` are
/// host addresses.
struct cuda_stream {
  CUstream stream = nullptr;
  CUcontext context = nullptr;
  operator CUstream() const noexcept { return stream; }
};

/// The operations that a body enqueued while they were captured. On a simulated device, the body itself.
class cuda_graph {
 public:
  cuda_graph() = default;
  /// Captures what `body` enqueues into the stream that it gets, for devices of the context of `on`. Throws M34, M35,
  /// and what the body throws.
  cuda_graph(const cuda_stream& on, std::function<void(const cuda_stream&)> body);

  /// Enqueues all of it. Throws M34, also for a stream of another device.
  void operator()(const cuda_stream& into) const;

 private:
  struct state;
  std::shared_ptr<state> state_;
};

}  // namespace stretto
