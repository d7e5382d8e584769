#include "device/opencl/opencl_device.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <tuple>

#include "base/address_space.hpp"
#include "base/process_wide.hpp"
#include "device/device_affinity.hpp"
#include "device/opencl/opencl_discovery.hpp"
#include "device/opencl/opencl_memory.hpp"
#include "device/opencl/opencl_native.hpp"
#include "device/opencl/opencl_program.hpp"
#include "device/opencl/opencl_stream.hpp"

namespace stretto::device::opencl {

namespace {

processor_kind kind_of(cl_device_type type) noexcept {
  return type & CL_DEVICE_TYPE_GPU   ? processor_kind::gpu
         : type & CL_DEVICE_TYPE_CPU ? processor_kind::cpu
                                     : processor_kind::accelerator;
}

properties about(const driver& d, const options& o, std::uint32_t sharers) {
  const std::string extensions = text(*d.cl, d.id, CL_DEVICE_EXTENSIONS);
  const auto has = [&](std::string_view name) { return extensions.find(name) != std::string::npos; };
  properties p;
  p.name = text(*d.cl, d.id, CL_DEVICE_NAME);
  p.backend = "opencl";
  p.vendor = text(*d.cl, d.id, CL_DEVICE_VENDOR);
  p.kind = kind_of(number<cl_device_type>(*d.cl, d.id, CL_DEVICE_TYPE));
  p.whole_memory_bytes = number<cl_ulong>(*d.cl, d.id, CL_DEVICE_GLOBAL_MEM_SIZE);
  const std::uint64_t one_buffer = number<cl_ulong>(*d.cl, d.id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  p.memory_bytes =
      o.memory_bytes
          ? std::min(o.memory_bytes, one_buffer)
          : base::share_of_addresses(std::min(one_buffer, p.whole_memory_bytes / 2 / std::max(1u, o.parts) / sharers));
  p.memory_bytes -= p.memory_bytes % 4096;
  p.local_memory_bytes = number<cl_ulong>(*d.cl, d.id, CL_DEVICE_LOCAL_MEM_SIZE);
  p.most_items_per_group = static_cast<std::int64_t>(number<std::size_t>(*d.cl, d.id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  p.alignment = number<cl_uint>(*d.cl, d.id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
  p.compute_units = number<cl_uint>(*d.cl, d.id, CL_DEVICE_MAX_COMPUTE_UNITS);
  p.has_double = has("cl_khr_fp64");
  p.has_atomics_64 = has("cl_khr_int64_base_atomics");
  p.compiles_at_first_launch = true;
  p.shares_host_memory = number<cl_bool>(*d.cl, d.id, CL_DEVICE_HOST_UNIFIED_MEMORY);
  p.near_processors = processors_near(pci_of(*d.cl, d.id));
  return p;
}

}  // namespace

class opencl_device final : public device {
 public:
  opencl_device(std::shared_ptr<driver> d, const options& o, std::uint32_t sharers)
      : driver_(std::move(d)),
        about_(opencl::about(*driver_, o, sharers)),
        is_processor_(about_.kind == processor_kind::cpu) {
    addresses_.bytes = about_.memory_bytes;
    addresses_.first = mmap(nullptr, addresses_.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (addresses_.first == MAP_FAILED)
      throw std::system_error(errno, std::generic_category(), "addresses for a device's memory");
    // A device that computes on the host's cores uses host memory, so data is accessed in place.
    using buffer_layout = opencl_memory::buffer_layout;
    const auto what = !o.pool                                      ? buffer_layout::blocks
                      : is_processor_ && about_.shares_host_memory ? buffer_layout::one_buffer_in_place
                                                                   : buffer_layout::one_buffer;
    memory_.emplace(driver_, static_cast<std::byte*>(addresses_.first), about_.memory_bytes, what);
    about_.is_host_accessible = memory_->is_in_place();
    if (o.host_memory_bytes && about_.shares_host_memory) share_host_memory(o.host_memory_bytes);
  }
  ~opencl_device() override {
    if (!memory_->host_buffer()) return;
    // Otherwise drivers leak the memory of the mapping.
    driver_->cl->clEnqueueUnmapMemObject(mapped_by_, memory_->host_buffer(), memory_->host_first(), 0, nullptr,
                                         nullptr);
    driver_->cl->clFinish(mapped_by_);
    driver_->cl->clReleaseCommandQueue(mapped_by_);
    driver_->cl->clReleaseMemObject(memory_->host_buffer());
  }

  const properties& about() const noexcept override { return about_; }
  bool is_lost() const noexcept override { return driver_->is_lost(); }
  std::byte* memory() const noexcept override { return memory_->first(); }
  std::byte* transport_address(std::byte* address) const noexcept override { return memory_->in_place(address); }
  native_memory named_by_driver(std::byte* address) const override {
    const located its = memory_->at(address);
    return {.buffer = its.buffer, .offset_bytes = its.offset};
  }
  native_call native() const noexcept override {
    return {native_call::kind::opencl, driver_->id, driver_->context, nullptr, {}};
  }
  std::byte* host_memory() const noexcept override { return memory_->host_first(); }
  void allocated(std::byte* first, std::uint64_t bytes) override { memory_->allocated(first, bytes); }
  void freed(std::byte* first, std::uint64_t) noexcept override { memory_->freed(first); }

  std::unique_ptr<stream> make_stream() override {
    return std::make_unique<opencl_stream>(*this, streams_, driver_, *memory_);
  }

  std::shared_ptr<const compiled_kernel> compile(const kernel_code& code) override {
    // Fast path: the kernel of the last launch.
    if (const kernel_table::value_type* const last = last_.load(std::memory_order_acquire);
        last && last->first == &code)
      return last->second;
    std::scoped_lock lock(kernels_mutex_);
    const auto at = kernels_.try_emplace(&code).first;
    auto& kept = at->second;
    if (!kept && code.native) kept = std::make_shared<opencl_native>(code, driver_);
    if (!kept)
      kept = std::make_shared<opencl_program>(code, driver_, abilities{about_.has_double, about_.has_atomics_64});
    last_.store(&*at, std::memory_order_release);
    return kept;
  }

  std::size_t poll() override {
    const std::size_t ended = streams_.poll();
    // The driver's threads may need this core, which a polling idle worker would keep from them.
    if (!ended && is_processor_ && streams_.pending()) std::this_thread::yield();
    return ended;
  }
  bool will_notify(const std::shared_ptr<completion_notifier>& b) noexcept override { return streams_.will_notify(b); }
  std::size_t pending() const noexcept override { return streams_.pending(); }

 protected:
  void require(const native_memory& from, std::uint64_t bytes) const override {
    std::string why = from.data     ? "the program named an address, but OpenCL identifies memory by cl_mem"
                      : from.buffer ? memory_->refusal_of(static_cast<cl_mem>(from.buffer), from.offset_bytes + bytes)
                                    : "the program named no memory";
    if (!why.empty())
      throw foreign_memory(*this, std::move(why),
                           "name a cl_mem of the context that native kernels receive (native_call::context)");
  }
  void map_borrowed(std::byte* alias, const native_memory& from, std::uint64_t bytes) override {
    memory_->map_borrowed(alias, {static_cast<cl_mem>(from.buffer), from.offset_bytes}, bytes);
  }
  void unmap_borrowed(std::byte* alias) noexcept override { memory_->unmap_borrowed(alias); }
  bool map_host(std::byte* alias, std::byte* first, std::uint64_t bytes) override {
    return memory_->is_in_place() && memory_->map_host(alias, first, bytes);
  }

 private:
  /// The buffer stays mapped: device and host use one memory, so nothing is moved. Does nothing if the driver has no
  /// such memory.
  void share_host_memory(std::uint64_t bytes) {
    const api& cl = *driver_->cl;
    cl_int status = CL_SUCCESS;
    const cl_mem buffer =
        cl.clCreateBuffer(driver_->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, &status);
    if (status != CL_SUCCESS) return;
    mapped_by_ = cl.clCreateCommandQueue(driver_->context, driver_->id, 0, &status);
    void* at = nullptr;
    if (mapped_by_)
      at = cl.clEnqueueMapBuffer(mapped_by_, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr,
                                 &status);
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
  const bool is_processor_;               // it computes on the host's cores
  cl_command_queue mapped_by_ = nullptr;  // queue that mapped the host memory, if there is any
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
  kernel_table kernels_;                                        // never shrinks: streams hold kernels of its entries
  std::atomic<const kernel_table::value_type*> last_{nullptr};  // of those that are compiled
  stream_registry streams_;
};

namespace {

/// `part`: the number of a sub-device, which the opened device then owns; 0: a whole device.
opened_device open(const std::shared_ptr<const api>& cl, const platform_device& of, const options& o,
                   const device_share& of_it, unsigned part = 0) {
  opened_device f;
  f.share = of_it;
  f.name = platform_text(*cl, of.platform, CL_PLATFORM_NAME);
  try {
    auto d = std::make_shared<driver>();
    d->cl = cl;
    d->id = of.id;
    d->cache = kernel_cache(o.cache);
    d->check_kernels = o.check ? index_checks::on : index_checks::off;
    // CPUs multiply 64-bit numbers as fast, and their compilers recognise neighbouring accesses better with them.
    if (kind_of(number<cl_device_type>(*cl, of.id, CL_DEVICE_TYPE)) == processor_kind::cpu)
      d->most_indexing = indexing::dense;
    d->name = text(*cl, of.id, CL_DEVICE_NAME);
    f.name = fmt::format("{} ({})", d->name, f.name);
    if (part) f.name += fmt::format(", part {} of {}", part, o.parts);
    if (unusable_reason is = unusable_reason_of(*cl, of.id); !is.reason.empty()) {
      f.reason = std::move(is.reason), f.remedy = std::move(is.remedy);
      return f;
    }
    d->identity = fmt::format("{}, {}, driver {}", f.name, text(*cl, of.id, CL_DEVICE_VERSION),
                              text(*cl, of.id, CL_DRIVER_VERSION));
    cl_int status = CL_SUCCESS;
    d->context = cl->clCreateContext(nullptr, 1, &d->id, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    f.is = std::make_unique<opencl_device>(std::move(d), o, of_it.sharers);
  } catch (const std::exception& e) {
    f.reason = e.what();
    f.remedy = "try the driver with clinfo";
  }
  return f;
}

/// Partitions a device into sub-devices with that many compute units each. They are created once and never released:
/// threads of PoCL 3.1 access the device of a command after it has completed, and its contexts do not keep a
/// sub-device alive.
std::vector<cl_device_id> parts_of(const api& cl, cl_device_id id, unsigned units) {
  struct parts_by_device {
    std::mutex mutex;
    std::map<std::tuple<const void*, cl_device_id, unsigned>, std::vector<cl_device_id>> made;
  };
  static parts_by_device& all = base::make_process_wide<parts_by_device>();
  const std::scoped_lock lock(all.mutex);
  std::vector<cl_device_id>& ids = all.made[{reinterpret_cast<const void*>(cl.clCreateSubDevices), id, units}];
  if (!ids.empty()) return ids;
  const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY,
                                              static_cast<cl_device_partition_property>(units), 0};
  cl_uint count = 0;
  check(cl.clCreateSubDevices(id, how, 0, nullptr, &count), "clCreateSubDevices");
  std::vector<cl_device_id> parts(count);
  check(cl.clCreateSubDevices(id, how, count, parts.data(), nullptr), "clCreateSubDevices");
  return ids = std::move(parts);
}

/// Opens the equal parts of a device; remaining compute units stay idle. The first part has the number `first`.
std::vector<opened_device> open_parts(const std::shared_ptr<const api>& cl, const platform_device& of, const options& o,
                                      unsigned first) {
  opened_device f;
  std::vector<opened_device> all;
  try {
    f.name =
        fmt::format("{} ({})", text(*cl, of.id, CL_DEVICE_NAME), platform_text(*cl, of.platform, CL_PLATFORM_NAME));
    const auto units = number<cl_uint>(*cl, of.id, CL_DEVICE_MAX_COMPUTE_UNITS);
    if (units < o.parts) {
      f.reason = fmt::format("{} parts were asked for, and it has {} compute units", o.parts, units);
      f.remedy = "ask for fewer parts";
    } else {
      const std::vector<cl_device_id> ids = parts_of(*cl, of.id, units / o.parts);
      for (unsigned n = 0; n < ids.size() && n < o.parts; ++n)
        if (const device_selection* const choice = selection_of(o.only, first + n))
          all.push_back(open(cl, {of.platform, ids[n]}, o, choice->share, n + 1));
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

std::vector<opened_device> find(const options& o) {
  std::vector<opened_device> all;
  unsigned usable = 0;
  const auto none = [&](std::string reason, std::string remedy) {
    all.push_back({"OpenCL", nullptr, std::move(reason), std::move(remedy)});
  };
  try {
    const std::shared_ptr<const api> cl = api::load(o.library);
    cl_int status = CL_SUCCESS;
    unsigned first = 0;
    for (const platform_device& of : all_devices(*cl, status)) {
      if (usable >= o.at_most) return all;
      std::vector<opened_device> some;
      if (o.parts > 1) some = open_parts(cl, of, o, first);
      else if (const device_selection* const choice = selection_of(o.only, first))
        some.push_back(open(cl, of, o, choice->share));
      for (opened_device& f : some) {
        usable += f.is != nullptr;
        all.push_back(std::move(f));
      }
      first += o.parts;
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
