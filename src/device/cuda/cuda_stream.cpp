#include "device/cuda/cuda_stream.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "device/cuda/cuda_copies.hpp"
#include "device/cuda/cuda_memories.hpp"

namespace stretto::device::cuda {

namespace {

constexpr std::chrono::microseconds query_interval{200};

}  // namespace

cuda_stream::cuda_stream(device& on, stream_registry& polled, std::shared_ptr<driver> d)
    : on_(on), polled_(polled), driver_(std::move(d)), flag_(driver_->acquire_flag()) {
  const api& cu = *driver_->cu;
  const current_context current(cu, driver_->context);
  const CUresult status = cu.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING);
  if (status != CUDA_SUCCESS) driver_->release_flag(flag_);
  cu.check(status, "cuStreamCreate");
  polled_.add(*this);
}

cuda_stream::~cuda_stream() {
  const api& cu = *driver_->cu;
  const current_context current(cu, driver_->context);
  driver_->note_loss(cu.cuStreamSynchronize(stream_));
  finished_ = true;
  polled_.remove(*this);
  cu.cuStreamDestroy(stream_);
  driver_->release_flag(flag_);
}

void cuda_stream::finish() {
  const api& cu = *driver_->cu;
  const current_context current(cu, driver_->context);
  driver_->check(cu.cuStreamSynchronize(stream_), "cuStreamSynchronize");
}

/// Records an event behind all enqueued operations. The context must be current. Throws `refused`.
CUevent cuda_stream::record() {
  const CUevent event = driver_->acquire_event();
  if (const CUresult status = driver_->cu->cuEventRecord(event, stream_); status != CUDA_SUCCESS) {
    driver_->release_event(event);
    throw refused{status, "cuEventRecord"};
  }
  return event;
}

/// Enqueues a report of completion: a flag write or an event. The context must be current. Throws `refused`.
cuda_stream::end cuda_stream::record_end() {
  if (!flag_) return {record(), 0};
  if (++last_flag_value_ == 0) ++last_flag_value_;
  need(driver_->cu->cuStreamWriteValue32(stream_, reinterpret_cast<std::uintptr_t>(flag_), last_flag_value_, 0),
       "cuStreamWriteValue32");
  return {nullptr, last_flag_value_};
}

template <class Calls>
bool cuda_stream::enqueue(places::completion* done, Calls&& calls) {
  std::scoped_lock lock(mutex_);
  end behind;
  bool needs_end = done && completions_.next_needs_event();
  try {
    if (driver_->is_lost()) throw refused{CUDA_SUCCESS, ""};
    const api& cu = *driver_->cu;
    const current_context current(cu, driver_->context);
    need(current.status, "cuCtxPushCurrent");
    if (!calls(cu)) return false;
    if (needs_end) behind = record_end();
  } catch (const refused& r) {
    if (!driver_->is_lost() && !driver_->note_loss(r.status)) driver_->cu->check(r.status, r.call);
    needs_end = done;  // an end that is not recorded: collect() reports the loss at once
  }
  if (!done) return true;
  const bool starts = completions_.is_idle();
  if (starts) last_query_ = std::chrono::steady_clock::now();
  completions_.add(done, needs_end, starts ? last_query_ : stream_completion_queue::time());
  if (needs_end) recorded_ends_.push_back(behind);
  publish_next_end();
  polled_.add_pending();
  return true;
}

void cuda_stream::notify(places::completion& done) {
  enqueue(&done, [](const api&) { return true; });
}

void cuda_stream::copy_some(const copy_end& source, const copy_end& target, places::copy_shape shape,
                            places::completion* done) {
  const located from = locate(source.address), to = locate(target.address);
  const flat_rows rows = flatten(source, target, shape);
  const bool enqueued = enqueue(done, [&](const api&) {
    try {
      enqueue_copy(*driver_, stream_, from, to, rows);
      return true;
    } catch (const refused& r) {
      // Within a device, drivers may refuse row distances other than those that they chose themselves.
      if (from.context != to.context || rows.rows == 1 || is_fatal(r.status)) throw;
      return false;
    }
  });
  if (!enqueued) launch_rows(copy_of_rows(source, target, shape), done);
}

void cuda_stream::fill_some(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
                            places::completion* done) {
  const flat_rows rows = flatten(target, target, shape);
  // Each row starts with the pattern: rows may be merged only if their length is a multiple of the pattern.
  const bool whole = rows.width == shape.row_bytes || shape.row_bytes % pattern.size() == 0;
  if (whole && enqueue(done, [&](const api&) {
        return enqueue_fill(*driver_, stream_, locate(target.address).address, rows, pattern);
      }))
    return;
  std::byte repeated[16];
  for (std::size_t i = 0; i < sizeof repeated; i += pattern.size())
    std::memcpy(repeated + i, pattern.data(), pattern.size());
  std::uint64_t words[2];
  std::memcpy(words, repeated, sizeof words);
  launch_rows(fill_of_rows(target, shape, words), done);
}

void cuda_stream::launch_rows(const row_launch& rows, places::completion* done) {
  launch(*on_.compile(*rows.code), rows.range, rows.arguments, done);
}

void cuda_stream::launch(const compiled_kernel& kernel, const launch_range& range,
                         std::span<const launch_argument> arguments, places::completion* done) {
  check_launch(on_, kernel, range, arguments);
  const kernel_code& code = kernel.code;
  if (range.items() == 0 || driver_->is_lost()) {
    if (done) notify(*done);
    return;
  }
  if (code.native) return launch_native(static_cast<const cuda_native&>(kernel), range, arguments, done);
  variant v{range.dimensions, indexing_of(code, range, arguments)};
  const auto& program = static_cast<const cuda_program&>(kernel);
  const loaded_kernel* f = &program.function_for(v);
  const geometry g = fitting(on_, code, range, f->most_items);
  if (g.blocks != v.blocks) {
    v.blocks = g.blocks;
    f = &program.function_for(v);
  }
  if (driver_->check_kernels == index_checks::on) return launch_checked(program, *f, g, range, arguments, done);
  packed_arguments packed(code, range, arguments, program.locks());
  launch(code, *f, g, packed.local_bytes(), packed.pointers(), done);
}

void cuda_stream::launch_checked(const cuda_program& program, const loaded_kernel& f, const geometry& g,
                                 const launch_range& range, std::span<const launch_argument> arguments,
                                 places::completion* done) {
  const checked_launch checked(program.code, range, arguments);
  packed_arguments packed(program.code, range, arguments, program.locks());
  check_group(on_, program.code, f.needs(), static_cast<std::int64_t>(g.block[0]) * g.block[1] * g.block[2],
              packed.local_bytes());
  enqueue(done, [&](const api& cu) {
    CUdeviceptr words = 0;
    need(cu.cuMemAlloc(&words, checked.bytes().size()), "cuMemAlloc");
    packed.add(checked, words, program.code, arguments);
    std::array<std::byte, checked_launch::result_bytes> back;
    CUresult status = cu.cuMemcpyHtoDAsync(words, checked.bytes().data(), checked.bytes().size(), stream_);
    if (status == CUDA_SUCCESS)
      status = cu.cuLaunchKernel(f.function, g.grid[0], g.grid[1], g.grid[2], g.block[0], g.block[1], g.block[2],
                                 static_cast<unsigned>(packed.local_bytes()), stream_, packed.pointers(), nullptr);
    if (status == CUDA_SUCCESS) status = cu.cuMemcpyDtoHAsync(back.data(), words, back.size(), stream_);
    const CUresult ended = cu.cuStreamSynchronize(stream_);
    cu.cuMemFree(words);
    need(status, "cuLaunchKernel");
    need(ended, "cuStreamSynchronize");
    checked.check_result(back);
    return true;
  });
}

void cuda_stream::launch_native(const cuda_native& kernel, const launch_range& range,
                                std::span<const launch_argument> arguments, places::completion* done) {
  const kernel_code& code = kernel.code;
  if (kernel.is_calls()) return run_native_calls(code, range, arguments, done);
  check_native(code, range, arguments);
  const loaded_kernel& f = kernel.function();
  const geometry g = fitting(on_, code, range, f.most_items);
  native_arguments given(code, arguments);
  launch(code, f, g, given.local_bytes(), given.pointers(), done);
}

void cuda_stream::run_native_calls(const kernel_code& code, const launch_range& range,
                                   std::span<const launch_argument> arguments, places::completion* done) {
  std::vector<kernel_argument> given(arguments.size());
  std::vector<native_functions::location> where(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    given[i] = arguments[i].is;
    if (is_array(code.parameters[i]) && arguments[i].bytes)
      where[i].data = locate(first_of(arguments[i], code.parameters[i])).address;
  }
  enqueue(done, [&](const api& cu) {
    try {
      code.native->call({native_call::kind::cuda, nullptr, driver_->context, stream_, work_of(range)}, given.data(),
                        where.data());
    } catch (...) {
      // wait for the operations that the calls enqueued before they threw
      driver_->note_loss(cu.cuStreamSynchronize(stream_));
      throw;
    }
    return true;
  });
}

void cuda_stream::launch(const kernel_code& code, const loaded_kernel& f, const geometry& g, std::uint64_t local_bytes,
                         void** arguments, places::completion* done) {
  // Checks the launched variant; check_launch has checked the most common one.
  check_group(on_, code, f.needs(), static_cast<std::int64_t>(g.block[0]) * g.block[1] * g.block[2], local_bytes);
  enqueue(done, [&](const api& cu) {
    need(cu.cuLaunchKernel(f.function, g.grid[0], g.grid[1], g.grid[2], g.block[0], g.block[1], g.block[2],
                           static_cast<unsigned>(local_bytes), stream_, arguments, nullptr),
         "cuLaunchKernel");
    return true;
  });
}

stream_marker cuda_stream::record_marker() {
  auto m = std::make_shared<cuda_marker>();
  m->of = driver_;
  enqueue(nullptr, [&](const api&) {
    m->event = record();
    return true;
  });
  return stream_marker(std::move(m));
}

void cuda_stream::wait_for(const stream_marker& m) {
  if (!m.get()) return;
  const CUevent event = static_cast<const cuda_marker&>(*m.get()).event;
  if (!event) return;
  enqueue(nullptr, [&](const api& cu) {
    need(cu.cuStreamWaitEvent(stream_, event, 0), "cuStreamWaitEvent");
    return true;
  });
}

/// The status in the driver's terms: reached, pending, or failed.
CUresult cuda_stream::status_of(const end& e) {
  const api& cu = *driver_->cu;
  if (e.event) {
    const current_context current(cu, driver_->context);
    return cu.cuEventQuery(e.event);
  }
  if (is_flag_reached(e.count)) return CUDA_SUCCESS;
  // A failed device does not set its flag: query the stream, but rarely.
  const auto now = std::chrono::steady_clock::now();
  if (now - last_query_ < query_interval && !finished_) return CUDA_ERROR_NOT_READY;
  last_query_ = now;
  const current_context current(cu, driver_->context);
  const CUresult status = cu.cuStreamQuery(stream_);
  return status == CUDA_ERROR_NOT_READY && is_flag_reached(e.count) ? CUDA_SUCCESS : status;
}

bool cuda_stream::is_flag_reached(std::uint32_t count) const noexcept {
  return static_cast<std::int32_t>(std::atomic_ref(*flag_).load(std::memory_order_acquire) - count) >= 0;
}

/// Publishes what may_have_ended tests. Called under mutex_ after the pending operations changed.
void cuda_stream::publish_next_end() noexcept {
  std::uint64_t next = anything;
  if (completions_.is_idle()) next = nothing;
  else if (!recorded_ends_.empty() && recorded_ends_.front().count && !completions_.needs_event())
    next = flag_value | recorded_ends_.front().count;
  next_end_.store(next, std::memory_order_release);
}

bool cuda_stream::may_have_ended() const noexcept {
  const std::uint64_t next = next_end_.load(std::memory_order_acquire);
  return next & flag_value ? is_flag_reached(static_cast<std::uint32_t>(next)) : next != nothing;
}

bool cuda_stream::is_complete(const end& e, std::exception_ptr& failure) {
  if (e.is_recorded() && !driver_->is_lost()) {
    const CUresult status = status_of(e);
    if (status == CUDA_ERROR_NOT_READY) return finished_;
    if (status != CUDA_SUCCESS && !driver_->note_loss(status))
      failure =
          std::make_exception_ptr(error("K30", fmt::format("an operation failed on device \"{}\"", driver_->name))
                                      .because(driver_->cu->name_of(status))
                                      .remedy("run it on the host with STRETTO_CHECK=1 to find a fault in a kernel"));
  }
  if (driver_->is_lost()) failure = std::make_exception_ptr(driver_->lost());
  return true;
}

void cuda_stream::collect(std::vector<places::completion*>& ended) {
  // If the lock is taken, a thread is enqueuing and the device has work: the next poll is early enough.
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) {
    if (!finished_) return;
    lock.lock();
  }
  if (completions_.is_idle()) return;
  const std::size_t before = ended.size();
  const auto take = [&](const std::exception_ptr& failure) {
    completions_.complete_oldest(ended, failure);
    driver_->release_event(recorded_ends_.front().event);
    recorded_ends_.pop_front();
  };
  while (!recorded_ends_.empty()) {
    std::exception_ptr failure;
    if (!is_complete(recorded_ends_.front(), failure)) break;
    take(failure);
  }
  if (ended.size() != before) completions_.update_rate(std::chrono::steady_clock::now());
  if (!completions_.needs_event()) return publish_next_end();
  end behind;
  std::exception_ptr failure;
  if (!driver_->is_lost() && !finished_) {
    const current_context current(*driver_->cu, driver_->context);
    try {
      behind = record_end();
    } catch (const refused& r) {
      if (!driver_->note_loss(r.status)) {  // nothing will report completion: wait for the stream
        driver_->note_loss(driver_->cu->cuStreamSynchronize(stream_));
        failure = std::make_exception_ptr(error("K30", fmt::format("operations failed on device \"{}\"", driver_->name))
                                              .because(driver_->cu->name_of(r.status)));
      }
    }
  }
  completions_.add_event();
  recorded_ends_.push_back(behind);
  if (behind.is_recorded()) return publish_next_end();
  while (!recorded_ends_.empty()) {
    std::exception_ptr why = failure;
    is_complete(recorded_ends_.front(), why);
    take(why);
  }
  publish_next_end();
}

}  // namespace stretto::device::cuda
