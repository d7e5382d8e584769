#include "device/opencl/opencl_stream.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "device/copy_kernels.hpp"

namespace stretto::device::opencl {

/// A copy of rows of bytes; device ends are offsets into buffers.
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

opencl_stream::opencl_stream(device& on, stream_registry& polled, std::shared_ptr<driver> d,
                             const opencl_memory& memory)
    : on_(on), polled_(polled), driver_(std::move(d)), memory_(memory) {
  cl_int status = CL_SUCCESS;
  queue_ = driver_->cl->clCreateCommandQueue(driver_->context, driver_->id, 0, &status);
  driver_->check(status, "clCreateCommandQueue");
  polled_.add(*this);
}

opencl_stream::~opencl_stream() {
  driver_->cl->clFinish(queue_);
  finished_ = true;
  polled_.remove(*this);
  for (const auto& [key, k] : kernels_) driver_->cl->clReleaseKernel(k.kernel);
  driver_->cl->clReleaseCommandQueue(queue_);
}

void opencl_stream::finish() {
  require_device();
  driver_->check(driver_->cl->clFinish(queue_), "clFinish");
}

cl_event* opencl_stream::event_for(const places::completion* done) noexcept {
  next_ = nullptr;
  return done && completions_.next_needs_event() ? &next_ : nullptr;
}

void opencl_stream::enqueued(places::completion* done) {
  flushed_ = false;
  if (!done) return;
  const bool starts = completions_.is_idle();
  completions_.add(done, next_ != nullptr, starts ? std::chrono::steady_clock::now() : stream_completion_queue::time());
  if (next_) events_.push_back(next_);
  polled_.add_pending();
  // The first of several operations is flushed at once and starts the device; a later poll flushes the others.
  if (!starts) return;
  driver_->cl->clFlush(queue_);
  flushed_ = true;
  if (const std::shared_ptr<completion_notifier>* const b = polled_.armed_notifier(); b && !make_oldest_notify(*b))
    (*b)->notify();
}

/// Records an event behind all enqueued operations.
void opencl_stream::record_event() {
  cl_event event = nullptr;
  driver_->check(driver_->cl->clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &event), "clEnqueueMarkerWithWaitList");
  events_.push_back(event);
  completions_.add_event();
  flushed_ = false;
}

void opencl_stream::require_device() const {
  if (driver_->is_lost()) throw driver_->lost();
}

void opencl_stream::notify(places::completion& done) {
  require_device();
  std::scoped_lock lock(mutex_);
  if (cl_event* const event = event_for(&done))
    driver_->check(driver_->cl->clEnqueueMarkerWithWaitList(queue_, 0, nullptr, event), "clEnqueueMarkerWithWaitList");
  enqueued(&done);
}

void opencl_stream::copy_some(const copy_end& source, const copy_end& target, places::copy_shape shape,
                              places::completion* done) {
  require_device();
  const bool from = on_.owns(source.address), to = on_.owns(target.address);
  const transfer t{from && to ? transfer::way::within
                   : to       ? transfer::way::in
                              : transfer::way::out,
                   source, target, shape};
  if (t.goes == transfer::way::within && !(is_dense(source, shape) && is_dense(target, shape))) {
    // A copy within one buffer: drivers mistake ends at large offsets for overlapping ones.
    const row_launch rows = copy_of_rows(source, target, shape);
    return launch(*on_.compile(*rows.code), rows.range, rows.arguments, done);
  }
  std::scoped_lock lock(mutex_);
  transfer_rows(t, event_for(done));
  enqueued(done);
}

void opencl_stream::transfer_rows(const transfer& t, cl_event* event) {
  const api& cl = *driver_->cl;
  const std::size_t zero[3] = {0, 0, 0};
  const located from = t.goes == transfer::way::in ? located() : memory_.at(t.source.address);
  const located to = t.goes == transfer::way::out ? located() : memory_.at(t.target.address);
  // One call takes planes only where their distance is a multiple of the rows' distance, as OpenCL wants it.
  const auto pitches_fit = [&](const copy_end& e) {
    return t.shape.planes == 1 || (e.row_stride && e.plane_stride % e.row_stride == 0);
  };
  if (is_dense(t.source, t.shape) && is_dense(t.target, t.shape)) {
    const std::size_t n = t.shape.bytes();
    if (t.goes == transfer::way::in)
      driver_->check(
          cl.clEnqueueWriteBuffer(queue_, to.buffer, CL_FALSE, to.offset, n, t.source.address, 0, nullptr, event),
          "clEnqueueWriteBuffer");
    else if (t.goes == transfer::way::out)
      driver_->check(
          cl.clEnqueueReadBuffer(queue_, from.buffer, CL_FALSE, from.offset, n, t.target.address, 0, nullptr, event),
          "clEnqueueReadBuffer");
    else
      driver_->check(
          cl.clEnqueueCopyBuffer(queue_, from.buffer, to.buffer, from.offset, to.offset, n, 0, nullptr, event),
          "clEnqueueCopyBuffer");
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
  const std::size_t source[3] = {from.offset, 0, 0};
  const std::size_t target[3] = {to.offset, 0, 0};
  if (t.goes == transfer::way::in)
    driver_->check(
        cl.clEnqueueWriteBufferRect(queue_, to.buffer, CL_FALSE, target, zero, region, row(t.target), plane(t.target),
                                    row(t.source), plane(t.source), t.source.address, 0, nullptr, event),
        "clEnqueueWriteBufferRect");
  else
    driver_->check(
        cl.clEnqueueReadBufferRect(queue_, from.buffer, CL_FALSE, source, zero, region, row(t.source), plane(t.source),
                                   row(t.target), plane(t.target), t.target.address, 0, nullptr, event),
        "clEnqueueReadBufferRect");
}

void opencl_stream::fill_some(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
                              places::completion* done) {
  require_device();
  const api& cl = *driver_->cl;
  std::scoped_lock lock(mutex_);
  const bool dense = is_dense(target, shape);
  const std::size_t planes = dense ? 1 : shape.planes, rows = dense ? 1 : shape.rows;
  const std::size_t bytes = dense ? shape.bytes() : shape.row_bytes;
  const located first = memory_.at(target.address);
  cl_event* const event = event_for(done);
  for (std::size_t p = 0; p < planes; ++p)
    for (std::size_t r = 0; r < rows; ++r) {
      const bool last = p + 1 == planes && r + 1 == rows;
      const std::size_t at = first.offset + p * target.plane_stride + r * target.row_stride;
      driver_->check(cl.clEnqueueFillBuffer(queue_, first.buffer, pattern.data(), pattern.size(), at, bytes, 0, nullptr,
                                            last ? event : nullptr),
                     "clEnqueueFillBuffer");
    }
  enqueued(done);
}

stream_marker opencl_stream::record_marker() {
  require_device();
  auto m = std::make_shared<opencl_marker>();
  m->of = driver_;
  std::scoped_lock lock(mutex_);
  driver_->check(driver_->cl->clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &m->event),
                 "clEnqueueMarkerWithWaitList");
  driver_->cl->clFlush(queue_);  // otherwise a wait in another queue would never end
  flushed_ = true;
  return stream_marker(std::move(m));
}

void opencl_stream::wait_for(const stream_marker& m) {
  if (!m.get()) return;
  require_device();
  const auto& given = static_cast<const opencl_marker&>(*m.get());
  std::scoped_lock lock(mutex_);
  driver_->check(driver_->cl->clEnqueueBarrierWithWaitList(queue_, 1, &given.event, nullptr),
                 "clEnqueueBarrierWithWaitList");
  flushed_ = false;
}

std::exception_ptr opencl_stream::failed(cl_int status) const {
  if (driver_->note_loss(status)) return std::make_exception_ptr(driver_->lost());
  return std::make_exception_ptr(error("K30", fmt::format("an operation failed on device \"{}\"", on_.about().name))
                                     .because(name_of(status))
                                     .remedy("run it on the host with STRETTO_CHECK=1 to find a fault in a kernel"));
}

bool opencl_stream::has_ended(cl_event e, std::exception_ptr& failure) const {
  cl_int state = CL_QUEUED;
  const cl_int asked = driver_->cl->clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  if (asked != CL_SUCCESS) state = asked;
  // On a lost device nothing is pending: all enqueued operations have failed.
  if (state < 0 || (state != CL_COMPLETE && driver_->is_lost())) failure = failed(state);
  return state <= CL_COMPLETE || failure;
}

void opencl_stream::collect(std::vector<places::completion*>& ended) {
  const api& cl = *driver_->cl;
  // If the lock is taken, a thread is enqueuing and the device has work: the next poll is early enough.
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) {
    if (!finished_) return;
    lock.lock();
  }
  const std::size_t before = ended.size();
  while (!events_.empty()) {
    std::exception_ptr failure;
    if (!has_ended(events_.front(), failure) && !finished_) break;
    completions_.complete_oldest(ended, failure);
    cl.clReleaseEvent(events_.front());
    events_.pop_front();
    oldest_notifies_ = false;
  }
  const bool any_ended = ended.size() != before;
  if (any_ended) completions_.update_rate(std::chrono::steady_clock::now());
  if (finished_ && completions_.needs_event()) {
    completions_.add_event();
    completions_.complete_oldest(ended, {});
  }
  const bool ends_here = completions_.needs_event();
  if (ends_here) {
    try {
      record_event();
    } catch (...) {  // no event can be recorded: wait for the queue and fail its operations
      cl.clFinish(queue_);
      const std::exception_ptr failure = std::current_exception();
      while (!events_.empty()) {
        completions_.complete_oldest(ended, failure);
        cl.clReleaseEvent(events_.front());
        events_.pop_front();
      }
      oldest_notifies_ = false;
      completions_.add_event();
      completions_.complete_oldest(ended, failure);
    }
  }
  // Commands behind the oldest event may stay unflushed while that event is pending.
  if (!flushed_ && (any_ended || ends_here || events_.size() < 2)) cl.clFlush(queue_), flushed_ = true;
}

bool opencl_stream::will_notify() noexcept {
  // A thread that holds the lock may be compiling.
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  if (completions_.is_idle()) return true;
  try {
    if (events_.empty()) record_event();
  } catch (...) {
    return false;
  }
  const std::shared_ptr<completion_notifier>* const b = polled_.armed_notifier();
  return b && make_oldest_notify(*b);
}

/// Called under mutex_. False: the oldest event has completed already, or the driver has no callbacks.
bool opencl_stream::make_oldest_notify(const std::shared_ptr<completion_notifier>& b) noexcept {
  if (std::exception_ptr failure; has_ended(events_.front(), failure)) return false;
  if (!flushed_) driver_->cl->clFlush(queue_), flushed_ = true;
  if (oldest_notifies_) return true;
  // The driver owns it: it calls back once per event, even if this stream is gone.
  auto* const kept = new (std::nothrow) std::shared_ptr<completion_notifier>(b);
  const auto call = [](cl_event, cl_int, void* of) {
    const std::unique_ptr<std::shared_ptr<completion_notifier>> to(
        static_cast<std::shared_ptr<completion_notifier>*>(of));
    (*to)->notify();
  };
  if (!kept || driver_->cl->clSetEventCallback(events_.front(), CL_COMPLETE, call, kept) != CL_SUCCESS) {
    delete kept;
    return false;
  }
  return oldest_notifies_ = true;
}

}  // namespace stretto::device::opencl
