#include <stretto_devices/opencl_module.hpp>

#include <string>
#include <utility>

#include "engine.hpp"

namespace stretto {
namespace devices {
namespace {

error refused_by_opencl(std::string_view call, cl_int status) {
  return refused("OpenCL", call, "it returned " + std::to_string(status) + "; the numbers are in CL/cl.h");
}
void check(std::string_view call, cl_int status) {
  if (status != CL_SUCCESS) throw refused_by_opencl(call, status);
}

/// A marker event.
class opencl_point final : public queue_point {
 public:
  explicit opencl_point(cl_event e) noexcept : event_(e) {}
  ~opencl_point() override { clReleaseEvent(event_); }

  bool is_passed(std::exception_ptr& failure) noexcept override {
    cl_int status = CL_QUEUED;
    if (const cl_int asked = clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr))
      status = asked;
    if (status < 0) failure = std::make_exception_ptr(refused_by_opencl("a command of the queue", status));
    return status <= CL_COMPLETE;
  }
  bool will_notify(const std::shared_ptr<poll_request>& to) noexcept override {
    auto* const kept = new (std::nothrow) std::shared_ptr<poll_request>(to);  // the driver calls once for each event
    const auto call = [](cl_event, cl_int, void* of) {
      const std::unique_ptr<std::shared_ptr<poll_request>> its(static_cast<std::shared_ptr<poll_request>*>(of));
      (*its)->notify();
    };
    if (kept && clSetEventCallback(event_, CL_COMPLETE, call, kept) == CL_SUCCESS) return true;
    delete kept;
    return false;
  }

 private:
  const cl_event event_;
};

class opencl_engine final : public engine {
 public:
  opencl_engine() : engine("opencl", "OpenCL", native_call::kind::opencl) {}

 private:
  std::unique_ptr<queue_point> mark(void* queue) override {
    const auto q = static_cast<cl_command_queue>(queue);
    cl_event e = nullptr;
    check("clEnqueueMarkerWithWaitList", clEnqueueMarkerWithWaitList(q, 0, nullptr, &e));
    auto made = std::make_unique<opencl_point>(e);
    check("clFlush", clFlush(q));
    return made;
  }
};

std::mutex kernel_arguments_mutex;  // also of kernels that several runtimes of the process use

}  // namespace

opencl_queue opencl_driver::queue_of(const native_call& lent) noexcept {
  return {static_cast<cl_command_queue>(lent.queue), static_cast<cl_context>(lent.context),
          static_cast<cl_device_id>(lent.device)};
}
opencl_queue opencl_driver::queue_of(cl_command_queue adopted) noexcept {
  opencl_queue q{adopted, nullptr, nullptr};
  clGetCommandQueueInfo(adopted, CL_QUEUE_CONTEXT, sizeof q.context, &q.context, nullptr);
  clGetCommandQueueInfo(adopted, CL_QUEUE_DEVICE, sizeof q.device, &q.device, nullptr);
  return q;
}

opencl_launch::opencl_launch(const opencl_queue& q, cl_kernel k)
    : lock_(kernel_arguments_mutex), queue_(q.queue), kernel_(k) {}
// Commands that use a buffer keep it until they have ended.
opencl_launch::~opencl_launch() {
  for (const cl_mem part : parts_) clReleaseMemObject(part);
}

void opencl_launch::set_bytes(std::size_t bytes, const void* value) {
  check("clSetKernelArg for argument " + std::to_string(next_), clSetKernelArg(kernel_, next_, bytes, value));
  ++next_;
}

void opencl_launch::set_part(cl_mem whole, std::size_t offset, std::size_t bytes) {
  cl_mem part = whole;
  if (whole && offset) {
    const cl_buffer_region region{offset, bytes};
    cl_int status = CL_SUCCESS;
    part = clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
    check("a buffer that begins at argument " + std::to_string(next_), status);
    parts_.push_back(part);
  }
  set(part);
}

void opencl_launch::enqueue(const driver_range& r) {
  std::size_t items[3];
  for (int i = 0; i < 3; ++i) items[i] = r.items[i] * r.group[i];
  if (items[0] * items[1] * items[2] == 0) return;
  check("clEnqueueNDRangeKernel",
        clEnqueueNDRangeKernel(queue_, kernel_, static_cast<cl_uint>(r.dimensions), nullptr, items,
                               r.is_of_groups ? r.group : nullptr, 0, nullptr, nullptr));
}

}  // namespace devices

opencl_module::opencl_module() : device_module(std::make_shared<devices::opencl_engine>()) {}

}  // namespace stretto
