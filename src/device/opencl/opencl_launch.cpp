// opencl_launch.cpp - kernel launches in a stream: sets as few arguments as possible, and enqueues.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "device/checked_launch.hpp"
#include "device/layout_of.hpp"
#include "device/opencl/opencl_stream.hpp"

namespace stretto::device::opencl {

/// A buffer with the words of a checked launch.
class opencl_stream::check_buffer {
 public:
  check_buffer(const driver& d, const checked_launch& launch) : cl_(*d.cl) {
    cl_int status = CL_SUCCESS;
    const std::span<const std::byte> bytes = launch.bytes();
    buffer_ = cl_.clCreateBuffer(d.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes.size(),
                                 const_cast<std::byte*>(bytes.data()), &status);
    check(status, "clCreateBuffer");
  }
  check_buffer(const check_buffer&) = delete;
  ~check_buffer() {
    if (buffer_) cl_.clReleaseMemObject(buffer_);
  }
  const cl_mem& buffer() const noexcept { return buffer_; }

 private:
  const api& cl_;
  cl_mem buffer_ = nullptr;
};

template <class Program>
opencl_stream::prepared& opencl_stream::kernel_for(const Program& p, variant v) {
  const auto key = std::pair(static_cast<const compiled_kernel*>(&p), v);
  if (last_ && last_->first == key) return last_->second;
  auto found = kernels_.find(key);
  if (found == kernels_.end()) found = kernels_.emplace(key, prepared{p.make_kernel(v), {}, {}}).first;
  last_ = &*found;
  return last_->second;
}

/// Null `value`: `bytes` bytes of local memory.
bool opencl_stream::set_plain(prepared& k, cl_uint n, const kernel_parameter& p, const kernel_argument& a) {
  if (p.mode == access::value) set(k, n, p.element_bytes, a.origin);
  else if (p.mode == access::local)
    set(k, n, static_cast<std::size_t>(std::max<std::int64_t>(a.max[0], 1)) * p.element_bytes, nullptr);
  else return false;
  return true;
}

void opencl_stream::set(prepared& k, cl_uint n, std::size_t bytes, const void* value) {
  if (k.given.size() <= n) k.given.resize(n + 1);
  std::vector<std::byte>& last = k.given[n];
  const std::span<const std::byte> now =
      value ? std::span(static_cast<const std::byte*>(value), bytes) : std::as_bytes(std::span(&bytes, 1));
  // An argument is always of the same size, or always local.
  if (last.size() == now.size() && std::memcmp(last.data(), now.data(), now.size()) == 0) return;
  last.clear();  // unknown, if it is refused
  driver_->check(driver_->cl->clSetKernelArg(k.kernel, n, bytes, value), "clSetKernelArg");
  last.assign(now.begin(), now.end());
}

void opencl_stream::launch(const compiled_kernel& kernel, const launch_range& range,
                           std::span<const launch_argument> arguments, places::completion* done) {
  check_launch(on_, kernel, range, arguments);
  require_device();
  if (range.items() == 0) {
    if (done) notify(*done);
    return;
  }
  const kernel_code& code = kernel.code;
  if (code.native) return launch_native(static_cast<const opencl_native&>(kernel), range, arguments, done);
  const variant v{range.dimensions, std::min(indexing_of(code, range, arguments), driver_->most_indexing)};
  const api& cl = *driver_->cl;
  std::scoped_lock lock(mutex_);
  const auto& program = static_cast<const opencl_program&>(kernel);
  prepared& k = kernel_for(program, v);
  std::optional<checked_launch> checked;
  std::optional<check_buffer> words;
  if (driver_->check_kernels == index_checks::on) words.emplace(*driver_, checked.emplace(code, range, arguments));
  layouts_.clear();
  cl_uint n = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_parameter& p = code.parameters[i];
    const kernel_argument& a = arguments[i].is;
    if (set_plain(k, n, p, a)) {
      ++n;
    } else {
      array_layout& layout = layouts_.emplace_back(layout_of(arguments[i], p.element_bytes));
      const located where = words && checked_launch::is_empty(arguments[i])
                                ? located{words->buffer(), checked->dummy_offset()}
                                : memory_.at(arguments[i].first ? arguments[i].first : memory_.first());
      layout.skip = static_cast<std::int64_t>(where.offset);
      set(k, n++, sizeof(cl_mem), &where.buffer);
    }
  }
  launch_layout whole;
  std::size_t global[3] = {1, 1, 1}, group[3] = {1, 1, 1};
  for (int a = 0; a < 3; ++a) {
    whole.min[a] = range.min[a];
    whole.count[a] = range.max[a] - range.min[a];
  }
  together_.resize(sizeof whole + layouts_.size() * sizeof(array_layout));
  std::memcpy(together_.data(), &whole, sizeof whole);
  if (!layouts_.empty())
    std::memcpy(together_.data() + sizeof whole, layouts_.data(), layouts_.size() * sizeof(array_layout));
  set(k, n++, together_.size(), together_.data());
  if (const cl_mem locks = program.locks()) set(k, n++, sizeof locks, &locks);
  // The driver may reuse the handle for another buffer, so always set the argument.
  if (words) driver_->check(cl.clSetKernelArg(k.kernel, n, sizeof(cl_mem), &words->buffer()), "clSetKernelArg");
  // Use few group shapes: PoCL compiles each one anew. Items beyond the range return at once.
  const auto most = static_cast<std::size_t>(on_.about().most_items_per_group);
  for (int a = 0; a < range.dimensions; ++a) {
    const int axis = range.dimensions - 1 - a;  // of the program
    const auto count = static_cast<std::size_t>(whole.count[axis]);
    if (code.in_groups) {
      group[a] = static_cast<std::size_t>(range.group[axis]);
      global[a] = count * group[a];
    } else {
      group[a] = a == 0 ? std::min(static_cast<std::size_t>(range.items_in_line()), most) : 1;
      global[a] = (count + group[a] - 1) / group[a] * group[a];
    }
  }
  driver_->check(cl.clEnqueueNDRangeKernel(queue_, k.kernel, static_cast<cl_uint>(range.dimensions), nullptr, global,
                                           group, 0, nullptr, words ? nullptr : event_for(done)),
                 "clEnqueueNDRangeKernel");
  if (words) {
    std::array<std::byte, checked_launch::result_bytes> back;
    driver_->check(
        cl.clEnqueueReadBuffer(queue_, words->buffer(), CL_TRUE, 0, back.size(), back.data(), 0, nullptr, nullptr),
        "clEnqueueReadBuffer");
    checked->check_result(back);
    if (cl_event* const event = event_for(done))
      driver_->check(cl.clEnqueueMarkerWithWaitList(queue_, 0, nullptr, event), "clEnqueueMarkerWithWaitList");
  }
  enqueued(done);
}

void opencl_stream::launch_native(const opencl_native& kernel, const launch_range& range,
                                  std::span<const launch_argument> arguments, places::completion* done) {
  const kernel_code& code = kernel.code;
  const api& cl = *driver_->cl;
  std::scoped_lock lock(mutex_);
  if (kernel.is_calls()) {
    run_native_calls(code, range, arguments);
    if (cl_event* const event = event_for(done))
      driver_->check(cl.clEnqueueMarkerWithWaitList(queue_, 0, nullptr, event), "clEnqueueMarkerWithWaitList");
    return enqueued(done);
  }
  check_native(code, range, arguments);
  prepared& k = kernel_for(kernel, {});
  k.parts.resize(arguments.size());
  cl_uint n = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const kernel_parameter& p = code.parameters[i];
    const kernel_argument& a = arguments[i].is;
    if (set_plain(k, n, p, a)) {
      ++n;
    } else {
      const std::byte* const first =
          code.native->with_layouts || !arguments[i].bytes ? arguments[i].first : first_of(arguments[i], p);
      const cl_mem part = k.parts[i].of(driver_, memory_.at(first),
                                        static_cast<std::size_t>(arguments[i].end() - first), on_.about().alignment);
      if (arguments[i].bytes && !part) throw misaligned(code, i, on_.about().alignment);
      // The driver may reuse the handle for another sub-buffer, so always set the argument.
      driver_->check(cl.clSetKernelArg(k.kernel, n++, sizeof part, &part), "clSetKernelArg");
      if (code.native->with_layouts) {
        const native_layout layout = layout_of(arguments[i], p);
        set(k, n++, sizeof layout, &layout);
      }
    }
  }
  std::size_t global[3] = {1, 1, 1}, group[3] = {1, 1, 1};
  for (int a = 0; a < range.dimensions; ++a) {
    const int axis = range.dimensions - 1 - a;  // of the program
    group[a] = static_cast<std::size_t>(range.group[axis]);
    global[a] = static_cast<std::size_t>(range.max[axis] - range.min[axis]) * group[a];
  }
  driver_->check(cl.clEnqueueNDRangeKernel(queue_, k.kernel, static_cast<cl_uint>(range.dimensions), nullptr, global,
                                           code.in_groups ? group : nullptr, 0, nullptr, event_for(done)),
                 "clEnqueueNDRangeKernel");
  enqueued(done);
}

/// The caller holds the lock, so the enqueued calls stay together.
void opencl_stream::run_native_calls(const kernel_code& code, const launch_range& range,
                                     std::span<const launch_argument> arguments) {
  std::vector<kernel_argument> given(arguments.size());
  std::vector<native_functions::location> where(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    given[i] = arguments[i].is;
    if (!is_array(code.parameters[i]) || !arguments[i].bytes) continue;
    const located at = memory_.at(first_of(arguments[i], code.parameters[i]));
    where[i] = {nullptr, at.buffer, at.offset};
  }
  try {
    code.native->call({native_call::kind::opencl, driver_->id, driver_->context, queue_, work_of(range)}, given.data(),
                      where.data());
  } catch (...) {
    driver_->cl->clFinish(queue_);  // wait for the operations that the calls enqueued before they threw
    throw;
  }
}

}  // namespace stretto::device::opencl
