// opencl_module.hpp - OpenCL's queues and kernels of a program as operations of Stretto.
//
//     auto cl = std::make_shared<stretto::opencl_module>();
//     stretto::runtime rt({.devices = "opencl", .modules = {cl}});
//     rt.run([&] {
//       const place gpu = cl->devices().front().processor;
//       event old = cl->when(queue_of_the_program);
//       event scaled = cl->forasync(after(old), at(gpu), box(0, n), kernel_of_the_program, x, 2.0f);
//       wait(cl->enqueue(after(scaled), at(gpu), [](opencl_queue q, native_array<float> x) { call_library(q, x); },
//       x));
//     });
//
// Threads     any thread of the runtime.
// Cost        see device_module.hpp. forasync: also clSetKernelArg for each argument, under one lock.
// Invariants  kernels and buffers that are used at a place belong to the context of its device: devices() has it.
#pragma once

#include <CL/cl.h>
#include <stretto_devices/device_module.hpp>
#include <stretto_devices/kernel_arguments.hpp>

#include <mutex>
#include <span>
#include <vector>

namespace stretto {

/// A queue that a body gets. On a simulated device all three are null, and the arrays' `data` are host addresses.
struct opencl_queue {
  cl_command_queue queue = nullptr;
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  operator cl_command_queue() const noexcept { return queue; }
};

/// An argument of forasync: memory of a group, in bytes.
struct opencl_local {
  std::size_t bytes = 0;
};

namespace devices {

struct opencl_driver {
  using native_queue = cl_command_queue;
  using queue = opencl_queue;
  static constexpr native_call::kind kind = native_call::kind::opencl;
  static constexpr const char* calls_name = "calls of OpenCL";
  static opencl_queue queue_of(const native_call& lent) noexcept;
  static opencl_queue queue_of(cl_command_queue adopted) noexcept;
};

/// One launch of a kernel of the program. Arguments belong to the kernel object, so one launch at a time sets them.
class opencl_launch {
 public:
  opencl_launch(const opencl_queue& q, cl_kernel k);
  ~opencl_launch();

  template <class T>
  void set(const T& value) {
    set_bytes(sizeof value, &value);
  }
  void set(const opencl_local& memory) { set_bytes(memory.bytes, nullptr); }
  template <class T, std::size_t D>
  void set(const native_array<T, D>& a) {
    std::int64_t last = 0;
    for (int i = 0; i < static_cast<int>(D); ++i) last += a.stride[i] * (a.length(i) - 1);
    set_part(static_cast<cl_mem>(a.buffer), a.offset_bytes, static_cast<std::size_t>(last + 1) * sizeof(T));
  }
  void enqueue(const driver_range& range);

 private:
  void set_bytes(std::size_t bytes, const void* value);
  void set_part(cl_mem whole, std::size_t offset, std::size_t bytes);

  const std::unique_lock<std::mutex> lock_;
  const cl_command_queue queue_;
  const cl_kernel kernel_;
  cl_uint next_ = 0;
  std::vector<cl_mem> parts_;  // buffers that begin at an array
};

}  // namespace devices

/// The module.
class opencl_module final : public device_module<devices::opencl_driver> {
 public:
  opencl_module();

  /// Computes a kernel of the program for each item of the range, in a queue of the program.
  ///
  ///   range   a box, or in_groups(...). Ids count from 0; the first axis of OpenCL is the last one of the range
  ///   given   one per parameter: cl_mem, values, opencl_local
  ///   returns an event. Poisoned with M34 if the driver refuses the launch
  template <class... A>
  event forasync(cl_command_queue q, const kernel_range& range, cl_kernel k, const A&... given) {
    return adopted({}, range.where, q, launch_of<A...>(range, k, given...));
  }
  /// The same with tags of async in front; and, with at(gpu) among the tags and no queue, in a queue of that device:
  ///
  ///     forasync(after(e), at(gpu), box(0, n), k, x, 2.0f)
  ///
  /// `given` may then also be instances in its memory, or only_read(instance). Throws M33 for a simulated device.
  template <class... A>
  event forasync(detail::first_tag<detail::task_request, A...> first, const A&... rest) {
    return detail::behind_tags(
        first.request, [&](const auto&... given) { return launch_in(first.request, first.where, given...); }, rest...);
  }

 private:
  template <class... A>
  static auto launch_of(const kernel_range& range, cl_kernel k, const A&... given) {
    return [range = devices::driver_range(range), k, values = devices::values_among(given...)](const opencl_queue& q,
                                                                                               const auto&... arrays) {
      devices::opencl_launch launch(q, k);
      devices::each_argument<A...>([&](const auto& x) { launch.set(x); }, std::tie(arrays...), values);
      launch.enqueue(range);
    };
  }
  template <class... A>
  event launch_in(const detail::task_request& request, const std::source_location& where, cl_command_queue q,
                  const kernel_range& range, cl_kernel k, const A&... given) {
    return adopted(request, where, q, launch_of<A...>(range, k, given...));
  }
  template <class... A>
  event launch_in(const detail::task_request& request, const std::source_location& where, const kernel_range& range,
                  cl_kernel k, const A&... given) {
    require_driver(request.at ? request.at : request.on, where);
    return std::apply(
        [&](const auto&... arrays) { return lent(request, where, launch_of<A...>(range, k, given...), arrays...); },
        devices::arrays_among(given...));
  }
};

}  // namespace stretto
