// cuda_module.hpp - CUDA's streams, kernels and graphs of a program as operations of Stretto.
//
//     auto cuda = std::make_shared<stretto::cuda_module>();
//     stretto::runtime rt({.devices = "cuda", .modules = {cuda}});
//     rt.run([&] {
//       const place gpu = cuda->devices().front().processor;
//       event old = cuda->when(stream_of_the_program);
//       event product = cuda->enqueue(after(old), at(gpu), [=](cuda_stream s, native_array<float> x) {
//         cublasSetStream(handle, s.stream);
//         cublasSscal(handle, n, &factor, x.data, 1);
//       }, x);
//       wait(product);
//     });
//
// Neither CUDA's headers nor its driver are needed to build it: the driver is loaded by the first call that needs it.
// Streams, kernels and memory of the runtime API work as well, because both use the primary context of a device.
//
// Threads     any thread of the runtime.
// Cost        see device_module.hpp. The events of adopted streams are polled; the driver is asked for no callbacks.
#pragma once

#include <stretto_devices/cuda_graph.hpp>
#include <stretto_devices/device_module.hpp>
#include <stretto_devices/kernel_arguments.hpp>

#include <cstdint>
#include <vector>

namespace stretto {

/// An argument of forasync: dynamic shared memory of a block, in bytes. It is no parameter of the kernel.
struct cuda_shared {
  unsigned bytes = 0;
};

namespace devices {

struct cuda_driver {
  using native_queue = CUstream;
  using queue = cuda_stream;
  static constexpr native_call::kind kind = native_call::kind::cuda;
  static constexpr const char* calls_name = "calls of CUDA";
  static cuda_stream queue_of(const native_call& lent) noexcept;
  static cuda_stream queue_of(CUstream adopted);
};

/// One launch of a kernel of the program.
class cuda_launch {
 public:
  cuda_launch(const cuda_stream& s, CUfunction f) noexcept : stream_(s.stream), function_(f) {}

  template <class T>
  void set(const T& value) {
    static_assert(alignof(T) <= alignof(std::max_align_t));
    set_bytes(sizeof value, &value);
  }
  void set(const cuda_shared& memory) noexcept { shared_bytes_ += memory.bytes; }
  template <class T, std::size_t D>
  void set(const native_array<T, D>& a) {
    set(a.data);
  }
  void enqueue(const driver_range& range);

 private:
  void set_bytes(std::size_t bytes, const void* value);

  const CUstream stream_;
  const CUfunction function_;
  unsigned shared_bytes_ = 0;
  std::vector<std::vector<std::max_align_t>> values_;
};

}  // namespace devices

/// The module.
class cuda_module final : public device_module<devices::cuda_driver> {
 public:
  cuda_module();

  /// Computes a kernel of the program for each item of the range, in a stream of the program.
  ///
  ///   range   a box, or in_groups(blocks, threads). Ids count from 0; the first axis of CUDA is the last one of the
  ///           range. Of a box, whole blocks of 128 threads are computed: threads beyond the range must return
  ///   given   one per parameter: device addresses, values; and cuda_shared
  ///   returns an event. Poisoned with M34 if the driver refuses the launch
  template <class... A>
  event forasync(CUstream q, const kernel_range& range, CUfunction f, const A&... given) {
    return adopted({}, range.where, q, launch_of<A...>(range, f, given...));
  }
  /// The same with tags of async in front; and, with at(gpu) among the tags and no stream, in a stream of that device:
  ///
  ///     forasync(after(e), at(gpu), box(0, n), f, x, 2.0f)
  ///
  /// `given` may then also be instances in its memory, or only_read(instance), whose parameters are pointers. Throws
  /// M33 for a simulated device.
  template <class... A>
  event forasync(detail::first_tag<detail::task_request, A...> first, const A&... rest) {
    return detail::behind_tags(
        first.request, [&](const auto&... given) { return launch_in(first.request, first.where, given...); }, rest...);
  }

  /// Captures what a body enqueues as a graph, without running it:
  ///
  ///     cuda_graph step = cuda->capture(after(e), at(gpu), body, x, y).get();
  ///     event done = cuda->enqueue(after(e), at(gpu), step);
  ///
  /// The arguments are those of enqueue. The future is poisoned with M34, with M35 if the driver has no graphs, and
  /// with the exception of the body.
  template <class... A>
  future<cuda_graph> capture(detail::first_tag<detail::task_request, A...> first, A&&... rest) {
    return detail::behind_tags(
        first.request,
        [&]<class Body>(Body&& body, const auto&... arrays) {
          return lent(
              first.request, first.where,
              [body = std::forward<Body>(body)](const cuda_stream& on, const auto&... its) {
                return cuda_graph(on, [=](const cuda_stream& into) mutable { body(into, its...); });
              },
              arrays...);
        },
        std::forward<A>(rest)...);
  }

 private:
  template <class... A>
  static auto launch_of(const kernel_range& range, CUfunction f, const A&... given) {
    return [range = devices::driver_range(range), f, values = devices::values_among(given...)](const cuda_stream& s,
                                                                                               const auto&... arrays) {
      devices::cuda_launch launch(s, f);
      devices::each_argument<A...>([&](const auto& x) { launch.set(x); }, std::tie(arrays...), values);
      launch.enqueue(range);
    };
  }
  template <class... A>
  event launch_in(const detail::task_request& request, const std::source_location& where, CUstream q,
                  const kernel_range& range, CUfunction f, const A&... given) {
    return adopted(request, where, q, launch_of<A...>(range, f, given...));
  }
  template <class... A>
  event launch_in(const detail::task_request& request, const std::source_location& where, const kernel_range& range,
                  CUfunction f, const A&... given) {
    require_driver(request.at ? request.at : request.on, where);
    return std::apply(
        [&](const auto&... arrays) { return lent(request, where, launch_of<A...>(range, f, given...), arrays...); },
        devices::arrays_among(given...));
  }
};

}  // namespace stretto
