// device_module.hpp - the part that the modules of OpenCL and CUDA share: operations in queues, at places of devices.
//
// A queue is an OpenCL command queue or a CUDA stream. A queue of the program is adopted: the module enqueues into it
// and gives an event for its work. A queue of a place is lent: a body gets it for the time of one operation.
//
// Threads     any thread of the runtime calls any member. A body must enqueue and return; it must not wait. With a lent
//             queue it must not use Stretto either.
// Cost        lent: that of a launch, and an allocation. Adopted: a task, a marker of the driver, and a poll.
// Invariants  (1) no worker blocks while a device computes. (2) an operation starts after its preconditions, and ends
//             once all that its body enqueued has ended. Preconditions on the same device need no host for lent queues.
// Source      kernels and copies at GPU places as futures: HiPER's CUDA module (Grossman et al.). Adopted queues:
//             interoperability of SYCL 2020.
#pragma once

#include <stretto/module.hpp>
#include <stretto/stretto.hpp>
#include <stretto_devices/lent_call.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace stretto {

namespace devices {

class engine;

/// The compiled core of both modules; for device_module.
class module_core : public module {
 public:
  ~module_core() override;

  /// The devices of the runtime that this module serves: those of its driver, and simulated ones.
  const std::vector<native_device>& devices() const noexcept;
  /// The device with this processor or memory. Throws M33 if the module serves none there, M35 while no runtime uses
  /// the module.
  const native_device& device_at(place p, std::source_location where = std::source_location::current()) const;

  /// Copies bytes between memories that the driver names, as async_copy does between addresses.
  ///
  ///   to, from        memories of devices, or place{} for memory of the host, which `data` then names
  ///   target, source  CUDA: `data` is a CUdeviceptr. OpenCL: `buffer` is a cl_mem of the device's context
  ///   throws          N19 if the memory is not the device's
  event async_copy(place to, const native_memory& target, place from, const native_memory& source, std::size_t bytes,
                   const preconditions& after = {}, std::source_location where = std::source_location::current());

  std::string_view name() const noexcept override;
  void initialise(module_host& host) override;
  void started(runtime& owner) override;
  void finalise() override;

 protected:
  explicit module_core(std::shared_ptr<engine> e);
  engine& core() const noexcept { return *engine_; }

  /// An event for the work that is in the queue now. Throws M34.
  event when_ended(void* queue, const std::source_location& where);
  /// Runs `body` once the preconditions have ended, then triggers the event when the work in the queue has ended.
  event enqueue_adopted(const detail::task_request& request, void* queue, std::function<void()> body,
                        const std::source_location& where);
  /// Throws M33 if there is no device of the driver at this place, or a simulated one.
  void require_driver(place p, const std::source_location& where) const;
  /// Keeps the call until `done` has ended.
  static void keep(std::shared_ptr<void> call, const event& done);

 private:
  const std::shared_ptr<engine> engine_;
};

}  // namespace devices

/// The module of one driver. `Driver` has the types of its queues.
template <class Driver>
class device_module : public devices::module_core {
 public:
  using native_queue = typename Driver::native_queue;  ///< cl_command_queue, CUstream
  using queue = typename Driver::queue;                ///< the argument of a body; converts to native_queue

  /// Triggers when all that is in this queue of the program now has ended. Poisoned with M34 if a command failed, and
  /// with M35 if the runtime ends before. Throws M34 if the driver refuses it.
  event when(native_queue q, std::source_location where = std::source_location::current()) {
    return when_ended(q, where);
  }

  /// Calls `body(q)`, which enqueues into this queue of the program, at once.
  ///
  ///   returns  an event, or if the body returns a value a future of it, once the enqueued work has ended. Poisoned
  ///            with the exception of the body, or M34
  template <class Body>
    requires std::invocable<Body&, queue>
  auto enqueue(native_queue q, Body&& body, std::source_location where = std::source_location::current()) {
    return adopted({}, where, q, std::forward<Body>(body));
  }
  /// The same with tags of async in front, such as after(...), which make it a task; and, with at(gpu) or on(gpu) among
  /// the tags and no queue:
  ///
  ///     enqueue(after(e), at(gpu), body, x, y...)
  ///
  /// calls `body(q, x's array, y's array...)` with a queue of that device. The arguments are instances in its memory,
  /// or only_read(instance); the body gets a native_array for each. Throws M33, and what launch throws.
  template <class... A>
  auto enqueue(detail::first_tag<detail::task_request, A...> first, A&&... rest) {
    return detail::behind_tags(
        first.request, [&](auto&&... given) { return tagged(first, std::forward<decltype(given)>(given)...); },
        std::forward<A>(rest)...);
  }

 protected:
  using module_core::module_core;

  template <class Body>
  auto adopted(const detail::task_request& request, const std::source_location& where, native_queue q, Body&& body) {
    using call = devices::kept_call<std::decay_t<Body>, queue>;
    auto kept = std::make_shared<call>(std::forward<Body>(body));
    const event done = enqueue_adopted(request, q, [kept, its = Driver::queue_of(q)] { kept->make(its); }, where);
    return call::result_behind(done, kept);
  }
  template <class Body, class... Array>
  auto lent(detail::task_request request, const std::source_location& where, Body&& body, const Array&... arrays) {
    using call = devices::lent_call<Driver, std::decay_t<Body>, devices::array_of<Array>...>;
    request.on = device_at(request.at ? request.at : request.on, where).processor;
    request.at = {};
    auto kept = std::make_shared<call>(core(), request.on, std::forward<Body>(body));
    const event done =
        detail::launch_checked(request, devices::lent_kernel<Driver, devices::parameter_of<Array>...>(),
                               kernel_range(box(0, 1), where), kept->address(), devices::instance_of(arrays)...);
    keep(kept, done);
    return call::result_behind(done, kept);
  }

 private:
  template <class Call, class Body>
  auto tagged(const Call& call, native_queue q, Body&& body) {
    return adopted(call.request, call.where, q, std::forward<Body>(body));
  }
  template <class Call, class Body, class... Array>
    requires(!std::convertible_to<Body, native_queue>)
  auto tagged(const Call& call, Body&& body, const Array&... arrays) {
    return lent(call.request, call.where, std::forward<Body>(body), arrays...);
  }
};

}  // namespace stretto
