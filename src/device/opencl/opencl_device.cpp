#include "device/opencl/opencl_device.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <tuple>

#include "device/opencl/opencl_memory.hpp"
#include "device/opencl/opencl_native.hpp"
#include "device/opencl/opencl_program.hpp"
#include "device/opencl/opencl_stream.hpp"

namespace stretto::device::opencl {

namespace {

template <class T>
T number(const driver& d, cl_device_info what) {
  T value{};
  check(d.cl->clGetDeviceInfo(d.id, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}

std::string text(const driver& d, cl_device_info what) {
  std::size_t bytes = 0;
  check(d.cl->clGetDeviceInfo(d.id, what, 0, nullptr, &bytes), "clGetDeviceInfo");
  std::string value(bytes, '\0');
  check(d.cl->clGetDeviceInfo(d.id, what, bytes, value.data(), nullptr), "clGetDeviceInfo");
  while (!value.empty() && (value.back() == '\0' || value.back() == ' ')) value.pop_back();
  return value;
}

processor_kind kind_of(cl_device_type type) noexcept {
  return type & CL_DEVICE_TYPE_GPU ? processor_kind::gpu : type & CL_DEVICE_TYPE_CPU ? processor_kind::cpu : processor_kind::accelerator;
}

properties about(const driver& d, const options& o) {
  const std::string extensions = text(d, CL_DEVICE_EXTENSIONS);
  const auto has = [&](std::string_view name) { return extensions.find(name) != std::string::npos; };
  properties p;
  p.name = text(d, CL_DEVICE_NAME);
  p.backend = "opencl";
  p.vendor = text(d, CL_DEVICE_VENDOR);
  p.kind = kind_of(number<cl_device_type>(d, CL_DEVICE_TYPE));
  p.whole_memory_bytes = number<cl_ulong>(d, CL_DEVICE_GLOBAL_MEM_SIZE);
  const std::uint64_t one_buffer = number<cl_ulong>(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  p.memory_bytes = o.memory_bytes ? std::min(o.memory_bytes, one_buffer)
                                  : std::min(one_buffer, p.whole_memory_bytes / 2 / std::max(1u, o.parts));
  p.memory_bytes -= p.memory_bytes % 4096;
  p.local_memory_bytes = number<cl_ulong>(d, CL_DEVICE_LOCAL_MEM_SIZE);
  p.most_items_per_group = static_cast<std::int64_t>(number<std::size_t>(d, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  p.alignment = number<cl_uint>(d, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  p.compute_units = number<cl_uint>(d, CL_DEVICE_MAX_COMPUTE_UNITS);
  p.has_double = has("cl_khr_fp64");
  p.has_atomics_64 = has("cl_khr_int64_base_atomics");
  p.compiles_late = true;
  p.shares_host_memory = number<cl_bool>(d, CL_DEVICE_HOST_UNIFIED_MEMORY);
  return p;
}

}  // namespace

class opencl_device final : public device {
 public:
  opencl_device(std::shared_ptr<driver> d, const options& o)
      : driver_(std::move(d)),
        about_(opencl::about(*driver_, o)),
        is_processor_(about_.kind == processor_kind::cpu) {
    addresses_.bytes = about_.memory_bytes;
    addresses_.first = mmap(nullptr, addresses_.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (addresses_.first == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "addresses for a device's memory");
    memory_.emplace(driver_, static_cast<std::byte*>(addresses_.first), about_.memory_bytes, o.pool);
    if (o.host_memory_bytes && about_.shares_host_memory) share_host_memory(o.host_memory_bytes);
  }
  ~opencl_device() override {
    if (!memory_->host_buffer()) return;
    // Or drivers keep the memory of the mapping.
    driver_->cl->clEnqueueUnmapMemObject(mapped_by_, memory_->host_buffer(), memory_->host_first(), 0, nullptr, nullptr);
    driver_->cl->clFinish(mapped_by_);
    driver_->cl->clReleaseCommandQueue(mapped_by_);
    driver_->cl->clReleaseMemObject(memory_->host_buffer());
  }

  const properties& about() const noexcept override { return about_; }
  std::byte* memory() const noexcept override { return memory_->first(); }
  std::byte* host_memory() const noexcept override { return memory_->host_first(); }
  void allocated(std::byte* first, std::uint64_t bytes) override { memory_->allocated(first, bytes); }
  void freed(std::byte* first, std::uint64_t) noexcept override { memory_->freed(first); }

  std::unique_ptr<stream> make_stream() override {
    return std::make_unique<opencl_stream>(*this, streams_, driver_, *memory_);
  }

  std::shared_ptr<const compiled_kernel> compile(const kernel_code& code) override {
    // Mostly the one of the last launch.
    if (const kernel_table::value_type* const last = last_.load(std::memory_order_acquire); last && last->first == &code)
      return last->second;
    std::scoped_lock lock(kernels_mutex_);
    const auto at = kernels_.try_emplace(&code).first;
    auto& kept = at->second;
    if (!kept && code.native) kept = std::make_shared<opencl_native>(code, driver_);
    if (!kept) kept = std::make_shared<opencl_program>(code, driver_, abilities{about_.has_double, about_.has_atomics_64});
    last_.store(&*at, std::memory_order_release);
    return kept;
  }

  std::size_t poll() override {
    const std::size_t ended = streams_.poll();
    // Its driver's threads may want this very core, which polls of a worker that looks for work would keep from them.
    if (!ended && is_processor_ && streams_.pending()) std::this_thread::yield();
    return ended;
  }
  bool will_ring(const std::shared_ptr<bell>& b) noexcept override { return streams_.will_ring(b); }
  std::size_t pending() const noexcept override { return streams_.pending(); }

 private:
  /// The host has it mapped all the time: device and host use one memory, so that there is nothing to move. None where the
  /// driver has none.
  void share_host_memory(std::uint64_t bytes) {
    const api& cl = *driver_->cl;
    cl_int status = CL_SUCCESS;
    const cl_mem buffer = cl.clCreateBuffer(driver_->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &status);
    if (status != CL_SUCCESS) return;
    mapped_by_ = cl.clCreateCommandQueue(driver_->context, driver_->id, 0, &status);
    void* at = nullptr;
    if (mapped_by_)
      at = cl.clEnqueueMapBuffer(mapped_by_, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr, &status);
    if (!at || status != CL_SUCCESS) {
      if (mapped_by_) cl.clReleaseCommandQueue(mapped_by_);
      cl.clReleaseMemObject(buffer);
      return;
    }
    memory_->share(buffer, static_cast<std::byte*>(at), bytes);
    about_.host_memory_bytes = bytes;
  }

  const std::shared_ptr<driver> driver_;
  properties about_;
  const bool is_processor_;  // it computes on the host's cores
  cl_command_queue mapped_by_ = nullptr;  // the host's memory, where there is such
  struct reserved {
    void* first = MAP_FAILED;
    std::uint64_t bytes = 0;
    ~reserved() {
      if (first != MAP_FAILED) munmap(first, bytes);
    }
  } addresses_;
  std::optional<opencl_memory> memory_;
  std::mutex kernels_mutex_;
  using kernel_table = std::map<const kernel_code*, std::shared_ptr<const compiled_kernel>>;
  kernel_table kernels_;  // to the end: streams hold kernels of them
  std::atomic<const kernel_table::value_type*> last_{nullptr};  // of those that are compiled
  stream_registry streams_;
};

namespace {

std::string platform_text(const api& cl, cl_platform_id p, cl_platform_info what) {
  std::size_t bytes = 0;
  if (cl.clGetPlatformInfo(p, what, 0, nullptr, &bytes) != CL_SUCCESS) return "?";
  std::string value(bytes, '\0');
  cl.clGetPlatformInfo(p, what, bytes, value.data(), nullptr);
  while (!value.empty() && value.back() == '\0') value.pop_back();
  return value;
}

/// Of what CL_DEVICE_VERSION says: "OpenCL 1.1 Mesa 20.3".
bool is_before_1_2(const std::string& version) {
  unsigned major = 0, minor = 0;
  return std::sscanf(version.c_str(), "OpenCL %u.%u", &major, &minor) == 2 && (major < 1 || (major == 1 && minor < 2));
}

/// `part`: its number among those of a device, which it takes over; 0: it is a device.
found open(const std::shared_ptr<const api>& cl, cl_platform_id platform, cl_device_id id, const options& o, unsigned part = 0) {
  found f;
  f.name = platform_text(*cl, platform, CL_PLATFORM_NAME);
  try {
    auto d = std::make_shared<driver>();
    d->cl = cl;
    d->id = id;
    d->cache = kernel_cache(o.cache);
    f.name = fmt::format("{} ({})", text(*d, CL_DEVICE_NAME), f.name);
    if (part) f.name += fmt::format(", part {} of {}", part, o.parts);
    if (is_before_1_2(text(*d, CL_DEVICE_VERSION))) {
      f.reason = fmt::format("it has {}, and 1.2 is the least that is used", text(*d, CL_DEVICE_VERSION));
      f.remedy = "install a newer driver of the device";
      return f;
    }
    if (!number<cl_bool>(*d, CL_DEVICE_COMPILER_AVAILABLE)) {
      f.reason = "its driver has no compiler for kernels";
      f.remedy = "install a driver that is for computing, and not for an embedded profile";
      return f;
    }
    if (!number<cl_bool>(*d, CL_DEVICE_AVAILABLE)) {
      f.reason = "the driver says that it is not available";
      f.remedy = "free the device for computing, or ask who administers it";
      return f;
    }
    d->name = text(*d, CL_DEVICE_NAME);
    d->identity = fmt::format("{}, {}, driver {}", f.name, text(*d, CL_DEVICE_VERSION), text(*d, CL_DRIVER_VERSION));
    cl_int status = CL_SUCCESS;
    d->context = cl->clCreateContext(nullptr, 1, &d->id, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    f.is = std::make_unique<opencl_device>(std::move(d), o);
  } catch (const std::exception& e) {
    f.reason = e.what();
    f.remedy = "try the driver with clinfo";
  }
  return f;
}

/// The parts of a device with that many compute units each. They are made once and stay as long as the process: the threads of
/// PoCL 3.1 touch the device of a command after it has ended, and its contexts do not keep a part alive.
std::vector<cl_device_id> parts_of(const api& cl, cl_device_id id, unsigned units) {
  static std::mutex mutex;
  static auto& made = *new std::map<std::tuple<const void*, cl_device_id, unsigned>, std::vector<cl_device_id>>;
  std::scoped_lock lock(mutex);
  std::vector<cl_device_id>& ids = made[{reinterpret_cast<const void*>(cl.clCreateSubDevices), id, units}];
  if (!ids.empty()) return ids;
  const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY, static_cast<cl_device_partition_property>(units), 0};
  cl_uint count = 0;
  check(cl.clCreateSubDevices(id, how, 0, nullptr, &count), "clCreateSubDevices");
  std::vector<cl_device_id> parts(count);
  check(cl.clCreateSubDevices(id, how, count, parts.data(), nullptr), "clCreateSubDevices");
  return ids = std::move(parts);
}

/// Parts with as many compute units each; what does not go into them stays idle.
std::vector<found> open_parts(const std::shared_ptr<const api>& cl, cl_platform_id platform, cl_device_id id, const options& o) {
  driver whole;
  whole.cl = cl;
  whole.id = id;
  found f;
  std::vector<found> all;
  try {
    f.name = fmt::format("{} ({})", text(whole, CL_DEVICE_NAME), platform_text(*cl, platform, CL_PLATFORM_NAME));
    const auto units = number<cl_uint>(whole, CL_DEVICE_MAX_COMPUTE_UNITS);
    if (units < o.parts) {
      f.reason = fmt::format("{} parts were asked for, and it has {} compute units", o.parts, units);
      f.remedy = "ask for fewer parts";
    } else {
      const std::vector<cl_device_id> ids = parts_of(*cl, id, units / o.parts);
      for (unsigned n = 0; n < ids.size() && n < o.parts; ++n) all.push_back(open(cl, platform, ids[n], o, n + 1));
      return all;
    }
  } catch (const std::exception& e) {
    f.reason = e.what();
    f.remedy = "open it as a whole: its driver does not part it";
  }
  all.push_back(std::move(f));
  return all;
}

}  // namespace

std::vector<found> find(const options& o) {
  std::vector<found> all;
  unsigned usable = 0;
  const auto none = [&](std::string reason, std::string remedy) {
    all.push_back({"OpenCL", nullptr, std::move(reason), std::move(remedy)});
  };
  try {
    const std::shared_ptr<const api> cl = api::load(o.library);
    cl_uint count = 0;
    const cl_int status = cl->clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(status == CL_SUCCESS ? count : 0);
    if (!platforms.empty()) check(cl->clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
    for (const cl_platform_id p : platforms) {
      cl_uint devices = 0;
      if (cl->clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) != CL_SUCCESS) continue;
      std::vector<cl_device_id> ids(devices);
      check(cl->clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, devices, ids.data(), nullptr), "clGetDeviceIDs");
      for (const cl_device_id id : ids) {
        if (usable >= o.at_most) return all;
        std::vector<found> some;
        if (o.parts > 1) some = open_parts(cl, p, id, o);
        else some.push_back(open(cl, p, id, o));
        for (found& f : some) {
          usable += f.is != nullptr;
          all.push_back(std::move(f));
        }
      }
    }
    if (all.empty())
      none(status == CL_SUCCESS ? "no driver has a device" : fmt::format("no driver: {}", name_of(status)),
           "apt-get install pocl-opencl-icd for the processor, or the OpenCL driver of the device");
  } catch (const error& e) {
    none(e.why().empty() ? e.sentence() : fmt::format("{}: {}", e.sentence(), e.why()), e.what_to_try());
  }
  return all;
}

}  // namespace stretto::device::opencl
