#include "device/opencl/opencl_stream.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "device/copy_kernels.hpp"
#include "device/opencl/opencl_registration.hpp"

namespace stretto::device::opencl {

/// Rows of bytes from one end to the other; ends in the buffer are offsets.
struct opencl_stream::transfer {
  enum class way : std::uint8_t { in, out, within } goes;
  copy_end source, target;
  places::copy_shape shape;
};

namespace {

/// Whether the rows of one end of a copy lie behind one another without gaps.
bool is_dense(const copy_end& e, const places::copy_shape& shape) noexcept {
  return (shape.rows == 1 || e.row_stride == shape.row_bytes) &&
         (shape.planes == 1 || e.plane_stride == shape.rows * shape.row_bytes);
}

}  // namespace

opencl_stream::opencl_stream(opencl_device& owner, std::shared_ptr<driver> d, opencl_memory memory)
    : owner_(owner), driver_(std::move(d)), memory_(memory) {
  cl_int status = CL_SUCCESS;
  queue_ = driver_->cl->clCreateCommandQueue(driver_->context, driver_->id, 0, &status);
  check(status, "clCreateCommandQueue");
  add(owner_, *this);
}

// Completions that have not run are run here: their operations have ended.
opencl_stream::~opencl_stream() {
  driver_->cl->clFinish(queue_);
  remove(owner_, *this);
  std::vector<places::completion*> ended;
  collect(ended);
  run_ended(owner_, ended);
  for (const auto& [key, kernel] : kernels_) driver_->cl->clReleaseKernel(kernel);
  driver_->cl->clReleaseCommandQueue(queue_);
}

void opencl_stream::enqueued(cl_event event, places::completion* done) {
  flushed_ = false;
  if (!event) return;
  waiting_.push_back({event, done});
  add_pending(owner_, 1);
  // The first of several starts the device; the others ride along with the next poll.
  if (waiting_.size() == 1) {
    driver_->cl->clFlush(queue_);
    flushed_ = true;
  }
}

void opencl_stream::notify(places::completion& done) {
  std::scoped_lock lock(mutex_);
  cl_event event = nullptr;
  check(driver_->cl->clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &event), "clEnqueueMarkerWithWaitList");
  enqueued(event, &done);
}

void opencl_stream::copy_some(const copy_end& source, const copy_end& target, places::copy_shape shape,
                         places::completion* done) {
  const bool from = owns(owner_, source.address), to = owns(owner_, target.address);
  const transfer t{from && to ? transfer::way::within : to ? transfer::way::in : transfer::way::out, source, target, shape};
  if (t.goes == transfer::way::within && !(is_dense(source, shape) && is_dense(target, shape))) {
    // One buffer to itself: drivers take ends at large offsets for overlapping ones.
    const row_launch rows = copy_of_rows(source, target, shape);
    return launch(*compile(owner_, *rows.code), rows.range, rows.arguments, done);
  }
  std::scoped_lock lock(mutex_);
  cl_event event = nullptr;
  transfer_rows(t, done ? &event : nullptr);
  enqueued(event, done);
}

void opencl_stream::transfer_rows(const transfer& t, cl_event* event) {
  const api& cl = *driver_->cl;
  const std::size_t zero[3] = {0, 0, 0};
  // One call takes planes only where their distance is a multiple of the rows' distance, as OpenCL wants it.
  const auto pitches_fit = [&](const copy_end& e) {
    return t.shape.planes == 1 || (e.row_stride && e.plane_stride % e.row_stride == 0);
  };
  if (is_dense(t.source, t.shape) && is_dense(t.target, t.shape)) {
    const std::size_t n = t.shape.bytes();
    if (t.goes == transfer::way::in)
      check(cl.clEnqueueWriteBuffer(queue_, memory_.buffer, CL_FALSE, memory_.offset_of(t.target.address), n,
                                    t.source.address, 0, nullptr, event), "clEnqueueWriteBuffer");
    else if (t.goes == transfer::way::out)
      check(cl.clEnqueueReadBuffer(queue_, memory_.buffer, CL_FALSE, memory_.offset_of(t.source.address), n,
                                   t.target.address, 0, nullptr, event), "clEnqueueReadBuffer");
    else
      check(cl.clEnqueueCopyBuffer(queue_, memory_.buffer, memory_.buffer, memory_.offset_of(t.source.address),
                                   memory_.offset_of(t.target.address), n, 0, nullptr, event), "clEnqueueCopyBuffer");
    return;
  }
  // Rows that overlap go one by one: a distance of 0 means to OpenCL that there are no gaps.
  const bool overlap = t.shape.rows > 1 && std::min(t.source.row_stride, t.target.row_stride) < t.shape.row_bytes;
  if (overlap || !pitches_fit(t.source) || !pitches_fit(t.target)) {
    const bool by_plane = t.shape.planes > 1;
    const std::size_t parts = by_plane ? t.shape.planes : t.shape.rows;
    for (std::size_t p = 0; p < parts; ++p) {
      transfer one = t;
      (by_plane ? one.shape.planes : one.shape.rows) = 1;
      one.source.address += p * (by_plane ? t.source.plane_stride : t.source.row_stride);
      one.target.address += p * (by_plane ? t.target.plane_stride : t.target.row_stride);
      transfer_rows(one, p + 1 == parts ? event : nullptr);
    }
    return;
  }
  const std::size_t region[3] = {t.shape.row_bytes, t.shape.rows, t.shape.planes};
  const auto row = [&](const copy_end& e) { return t.shape.rows == 1 ? 0 : e.row_stride; };
  const auto plane = [&](const copy_end& e) { return t.shape.planes == 1 ? 0 : e.plane_stride; };
  const std::size_t source[3] = {t.goes == transfer::way::in ? 0 : memory_.offset_of(t.source.address), 0, 0};
  const std::size_t target[3] = {t.goes == transfer::way::out ? 0 : memory_.offset_of(t.target.address), 0, 0};
  if (t.goes == transfer::way::in)
    check(cl.clEnqueueWriteBufferRect(queue_, memory_.buffer, CL_FALSE, target, zero, region, row(t.target), plane(t.target),
                                      row(t.source), plane(t.source), t.source.address, 0, nullptr, event),
          "clEnqueueWriteBufferRect");
  else
    check(cl.clEnqueueReadBufferRect(queue_, memory_.buffer, CL_FALSE, source, zero, region, row(t.source), plane(t.source),
                                     row(t.target), plane(t.target), t.target.address, 0, nullptr, event),
          "clEnqueueReadBufferRect");
}

void opencl_stream::fill_some(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
                         places::completion* done) {
  const api& cl = *driver_->cl;
  std::scoped_lock lock(mutex_);
  const bool dense = is_dense(target, shape);
  const std::size_t planes = dense ? 1 : shape.planes, rows = dense ? 1 : shape.rows;
  const std::size_t bytes = dense ? shape.bytes() : shape.row_bytes;
  cl_event event = nullptr;
  for (std::size_t p = 0; p < planes; ++p)
    for (std::size_t r = 0; r < rows; ++r) {
      const bool last = p + 1 == planes && r + 1 == rows;
      const std::size_t at = memory_.offset_of(target.address) + p * target.plane_stride + r * target.row_stride;
      check(cl.clEnqueueFillBuffer(queue_, memory_.buffer, pattern.data(), pattern.size(), at, bytes, 0, nullptr,
                                   last && done ? &event : nullptr), "clEnqueueFillBuffer");
    }
  enqueued(event, done);
}

cl_kernel opencl_stream::kernel_for(const opencl_program& p, variant v) {
  const auto key = std::pair(&p, v);
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  return kernels_.emplace(key, p.make_kernel(v)).first->second;
}

void opencl_stream::launch(const compiled_kernel& kernel, const launch_range& range,
                           std::span<const launch_argument> arguments, places::completion* done) {
  check_launch(as_device(owner_), kernel, range, arguments);
  if (range.items() == 0) {
    if (done) notify(*done);
    return;
  }
  const kernel_code& code = kernel.code;
  variant v{range.dimensions, true};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_parameter& p = code.parameters[i];
    if (p.mode != access::value && p.mode != access::local)
      v.dense = v.dense && arguments[i].is.stride[p.dimensions - 1] == 1;
  }
  const api& cl = *driver_->cl;
  std::scoped_lock lock(mutex_);
  const cl_kernel k = kernel_for(static_cast<const opencl_program&>(kernel), v);
  cl_uint n = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_parameter& p = code.parameters[i];
    const kernel_argument& a = arguments[i].is;
    if (p.mode == access::value) {
      check(cl.clSetKernelArg(k, n++, p.element_bytes, a.origin), "clSetKernelArg");
    } else if (p.mode == access::local) {
      check(cl.clSetKernelArg(k, n++, static_cast<std::size_t>(std::max<std::int64_t>(a.max[0], 1)) * p.element_bytes, nullptr),
            "clSetKernelArg");
    } else {
      array_layout layout;
      // From the array's first byte: the origin may lie before it, by a whole number of elements.
      layout.offset = (reinterpret_cast<std::intptr_t>(a.origin) - reinterpret_cast<std::intptr_t>(arguments[i].first)) /
                      static_cast<std::intptr_t>(p.element_bytes);
      layout.skip = arguments[i].first ? arguments[i].first - memory_.first : 0;
      std::copy_n(a.stride, 3, layout.stride);
      check(cl.clSetKernelArg(k, n++, sizeof(cl_mem), &memory_.buffer), "clSetKernelArg");
      check(cl.clSetKernelArg(k, n++, sizeof layout, &layout), "clSetKernelArg");
    }
  }
  launch_layout whole;
  std::size_t global[3] = {1, 1, 1}, group[3] = {1, 1, 1};
  for (int a = 0; a < 3; ++a) {
    whole.min[a] = range.min[a];
    whole.count[a] = range.max[a] - range.min[a];
  }
  check(cl.clSetKernelArg(k, n, sizeof whole, &whole), "clSetKernelArg");
  cl_event event = nullptr;
  // Groups of one shape: with PoCL every further shape is compiled anew. Items beyond the range leave at once.
  const auto most = static_cast<std::size_t>(as_device(owner_).about().most_items_per_group);
  for (int a = 0; a < range.dimensions; ++a) {
    const int axis = range.dimensions - 1 - a;  // of the program
    const auto count = static_cast<std::size_t>(whole.count[axis]);
    if (code.in_groups) {
      group[a] = static_cast<std::size_t>(range.group[axis]);
      global[a] = count * group[a];
    } else {
      group[a] = a == 0 ? std::min<std::size_t>(64, most) : 1;
      global[a] = (count + group[a] - 1) / group[a] * group[a];
    }
  }
  check(cl.clEnqueueNDRangeKernel(queue_, k, static_cast<cl_uint>(range.dimensions), nullptr, global, group, 0, nullptr,
                                  done ? &event : nullptr), "clEnqueueNDRangeKernel");
  enqueued(event, done);
}

mark opencl_stream::mark_here() {
  auto m = std::make_shared<opencl_mark>();
  m->of = driver_;
  std::scoped_lock lock(mutex_);
  check(driver_->cl->clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &m->event), "clEnqueueMarkerWithWaitList");
  driver_->cl->clFlush(queue_);  // who waits for it in another queue would wait for ever
  flushed_ = true;
  return mark(std::move(m));
}

void opencl_stream::wait_for(const mark& m) {
  if (!m.get()) return;
  const auto& given = static_cast<const opencl_mark&>(*m.get());
  std::scoped_lock lock(mutex_);
  check(driver_->cl->clEnqueueBarrierWithWaitList(queue_, 1, &given.event, nullptr), "clEnqueueBarrierWithWaitList");
  flushed_ = false;
}

void opencl_stream::collect(std::vector<places::completion*>& ended) {
  const api& cl = *driver_->cl;
  std::scoped_lock lock(mutex_);
  if (!flushed_) cl.clFlush(queue_), flushed_ = true;
  for (; !waiting_.empty(); waiting_.pop_front()) {
    cl_int state = CL_QUEUED;
    const cl_int asked = cl.clGetEventInfo(waiting_.front().event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
    if (asked != CL_SUCCESS) state = asked;
    if (state > CL_COMPLETE) return;
    places::completion* const done = waiting_.front().done;
    if (state < 0)
      done->failure = std::make_exception_ptr(
          error("K30", fmt::format("an operation failed on device \"{}\"", as_device(owner_).about().name))
              .because(name_of(state))
              .remedy("run it on the host with STRETTO_CHECK=1 to find a fault in a kernel"));
    ended.push_back(done);
    cl.clReleaseEvent(waiting_.front().event);
  }
}

}  // namespace stretto::device::opencl
