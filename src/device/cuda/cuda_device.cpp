#include "device/cuda/cuda_device.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <vector>

#include "base/address_space.hpp"
#include "device/cuda/cuda_discovery.hpp"
#include "device/cuda/cuda_ipc.hpp"
#include "device/cuda/cuda_memories.hpp"
#include "device/cuda/cuda_native.hpp"
#include "device/cuda/cuda_program.hpp"
#include "device/cuda/cuda_stream.hpp"
#include "device/device_affinity.hpp"

namespace stretto::device::cuda {

namespace {

properties about(const driver& d) {
  properties p;
  p.name = d.name;
  p.backend = "cuda";
  p.vendor = "NVIDIA Corporation";  // as NVIDIA's OpenCL driver reports it
  p.local_memory_bytes = static_cast<std::uint64_t>(d.most_local_bytes);
  p.most_items_per_group = attribute(*d.cu, d.id, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  p.compute_units = static_cast<unsigned>(attribute(*d.cu, d.id, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  p.copy_engines = static_cast<unsigned>(std::max(attribute(*d.cu, d.id, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT), 1));
  p.shares_host_memory = attribute(*d.cu, d.id, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
  p.copies_page_locked_faster = !p.shares_host_memory;
  p.prefers_spinning = d.has_flags();
  p.near_processors = processors_near(pci_of(*d.cu, d.id));
  return p;
}

}  // namespace

class cuda_device final : public device {
 public:
  cuda_device(std::shared_ptr<driver> d, const options& o, const device_share& part)
      : driver_(std::move(d)), about_(cuda::about(*driver_)) {
    const std::uint64_t wanted = o.memory_bytes, host_bytes = o.host_memory_bytes;
    const api& cu = *driver_->cu;
    const current_context current(cu, driver_->context);
    std::size_t free = 0, total = 0;
    constexpr std::uint64_t grain = 2 << 20;  // of the driver's own allocations
    CUresult status = CUDA_ERROR_OUT_OF_MEMORY;
    CUdeviceptr at = 0;
    // Free memory may be fragmented, and other programs allocate concurrently.
    for (int tries = 0; tries < (wanted ? 1 : 8) && status == CUDA_ERROR_OUT_OF_MEMORY; ++tries) {
      cu.check(cu.cuMemGetInfo(&free, &total), "cuMemGetInfo");
      about_.memory_bytes = wanted ? wanted
                                   : base::share_of_addresses(part_of(free, total, part)) / 10 *
                                         static_cast<unsigned>(std::max(9 - 2 * tries, 1)) / grain * grain;
      status = cu.cuMemAlloc(&at, about_.memory_bytes);
    }
    about_.whole_memory_bytes = total;
    if (status == CUDA_SUCCESS && !o.pool) {
      cu.cuMemFree(at);  // it only tested that this much is available
      addresses_.emplace(about_.memory_bytes);
      at = reinterpret_cast<std::uintptr_t>(addresses_->first);
    }
    cu.check(status, fmt::format("{} MiB of its memory, of which {} of {} MiB are free", about_.memory_bytes >> 20,
                                 free >> 20, total >> 20));
    first_ = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(at));
    if (o.pool) noted_.note(first_, about_.memory_bytes, driver_->context, first_);
    void* host = nullptr;
    if (host_bytes &&
        cu.cuMemHostAlloc(&host, host_bytes, memory_for_all_contexts | memory_for_kernels) == CUDA_SUCCESS) {
      host_memory_ = static_cast<std::byte*>(host);
      about_.host_memory_bytes = host_bytes;
    }
  }
  ~cuda_device() override {
    kernels_.clear();
    const api& cu = *driver_->cu;
    const current_context current(cu, driver_->context);
    if (!addresses_) cu.cuMemFree(reinterpret_cast<std::uintptr_t>(first_));
    for (const auto& [first, b] : blocks_) cu.cuMemFree(b.at);
    for (const auto& [alias, b] : imported_) cu.cuIpcCloseMemHandle(b.at);
    if (host_memory_) cu.cuMemFreeHost(host_memory_);
  }

  const properties& about() const noexcept override { return about_; }
  bool is_lost() const noexcept override { return driver_->is_lost(); }
  native_call native() const noexcept override {
    return {native_call::kind::cuda, nullptr, driver_->context, nullptr, {}};
  }
  std::byte* memory() const noexcept override { return first_; }
  void allocated(std::byte* first, std::uint64_t bytes) override {
    if (!addresses_) return;
    const api& cu = *driver_->cu;
    const current_context current(cu, driver_->context);
    block b;
    driver_->check(cu.cuMemAlloc(&b.at, bytes), "cuMemAlloc");
    b.noted.note(first, bytes, driver_->context, reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(b.at)));
    std::scoped_lock lock(blocks_mutex_);
    blocks_.emplace(first, std::move(b));
  }
  void freed(std::byte* first, std::uint64_t) noexcept override {
    if (!addresses_) return;
    std::unique_lock lock(blocks_mutex_);
    const auto removed = blocks_.extract(first);
    lock.unlock();
    const current_context current(*driver_->cu, driver_->context);
    if (removed) driver_->cu->cuMemFree(removed.mapped().at);
  }

  std::byte* transport_address(std::byte* address) const noexcept override { return locate(address).address; }
  std::span<const std::byte> exported() const noexcept override {
    std::call_once(is_exported_, [this] {
      if (addresses_ || driver_->is_lost()) return;  // without a pool, there is no memory that stays
      const current_context current(*driver_->cu, driver_->context);
      token_ = token_of(*driver_->cu, reinterpret_cast<std::uintptr_t>(first_));
    });
    return token_;
  }
  std::byte* host_memory() const noexcept override { return host_memory_; }
  bool lock_host(std::byte* first, std::uint64_t bytes) noexcept override {
    if (driver_->is_lost()) return false;
    const current_context current(*driver_->cu, driver_->context);
    return driver_->cu->cuMemHostRegister(first, bytes, memory_for_all_contexts) == CUDA_SUCCESS;
  }
  void unlock_host(std::byte* first) noexcept override {
    const current_context current(*driver_->cu, driver_->context);
    driver_->cu->cuMemHostUnregister(first);
  }

  bool reaches(const device& other) const override {
    const auto* const peer = dynamic_cast<const cuda_device*>(&other);
    if (!peer) return false;
    if (peer->driver_->context == driver_->context) return true;
    std::scoped_lock lock(peers_mutex_);
    const auto known = peers_.find(peer->driver_->context);
    if (known != peers_.end()) return known->second;
    return peers_[peer->driver_->context] = opens(*driver_, *peer->driver_) && opens(*peer->driver_, *driver_);
  }

  std::unique_ptr<stream> make_stream() override { return std::make_unique<cuda_stream>(*this, streams_, driver_); }

  std::shared_ptr<const compiled_kernel> compile(const kernel_code& code) override {
    std::scoped_lock lock(kernels_mutex_);
    auto& kept = kernels_[&code];
    if (!kept && code.native) kept = std::make_shared<cuda_native>(code, driver_);
    if (!kept) kept = std::make_shared<cuda_program>(code, driver_);
    return kept;
  }

  std::size_t poll() override { return streams_.poll(); }
  std::size_t pending() const noexcept override { return streams_.pending(); }

 protected:
  void require(const native_memory& from, std::uint64_t bytes) const override {
    if (std::string why = refusal_of(from, bytes); !why.empty())
      throw foreign_memory(
          *this, std::move(why),
          "name memory that cuMemAlloc or cudaMalloc returned for this device, and free it after its last use");
  }
  void map_borrowed(std::byte* alias, const native_memory& from, std::uint64_t bytes) override {
    registered_memory noted;
    noted.note(alias, bytes, driver_->context, static_cast<std::byte*>(from.data) + from.offset_bytes);
    std::scoped_lock lock(blocks_mutex_);
    borrowed_.emplace(alias, std::move(noted));
  }
  void unmap_borrowed(std::byte* alias) noexcept override {
    std::unique_lock lock(blocks_mutex_);
    borrowed_.erase(alias);
    const auto removed = imported_.extract(alias);
    lock.unlock();
    if (!removed) return;
    const current_context current(*driver_->cu, driver_->context);
    driver_->cu->cuIpcCloseMemHandle(removed.mapped().at);
  }
  bool map_exported(std::byte* alias, std::span<const std::byte> token, std::uint64_t bytes) override {
    if (driver_->is_lost()) return false;
    block b;
    const current_context current(*driver_->cu, driver_->context);
    b.at = open_token(*driver_->cu, token);
    if (!b.at) return false;
    b.noted.note(alias, bytes, driver_->context, reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(b.at)));
    std::scoped_lock lock(blocks_mutex_);
    imported_.emplace(alias, std::move(b));
    return true;
  }

 private:
  /// Why the memory is not this device's; empty if it is. Some drivers do not report where an allocation ends; the
  /// program's size is trusted then.
  std::string refusal_of(const native_memory& m, std::uint64_t bytes) const {
    if (!m.data || m.buffer) return m.buffer ? "a buffer of OpenCL was named" : "the pointer is null";
    const api& cu = *driver_->cu;
    const current_context current(cu, driver_->context);
    const CUdeviceptr first = reinterpret_cast<std::uintptr_t>(m.data) + m.offset_bytes, end = first + bytes;
    int ordinal = -1;
    unsigned type = 0;
    CUdevice of = -1;
    if (cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, first) != CUDA_SUCCESS ||
        type != CU_MEMORYTYPE_DEVICE)
      return "the driver knows no memory of a device at that address";
    if (cu.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, first) == CUDA_SUCCESS &&
        (cu.cuDeviceGet(&of, ordinal) != CUDA_SUCCESS || of != driver_->id))
      return fmt::format("the driver reports that it belongs to CUDA device {}", ordinal);
    for (CUdeviceptr at = first; at < end;) {  // memory may be of several mappings that follow one another
      CUdeviceptr start = 0;
      std::size_t length = 0;
      const bool there = cu.cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, at) == CUDA_SUCCESS &&
                         cu.cuPointerGetAttribute(&length, CU_POINTER_ATTRIBUTE_RANGE_SIZE, at) == CUDA_SUCCESS;
      if (!there && at == first) return {};
      if (!there || start + length <= at)
        return fmt::format("{} bytes are used, but only {} are allocated", bytes, at - first);
      at = start + length;
    }
    return {};
  }

  /// This process's part of the free memory, independent of the order in which the sharers open the device. If the
  /// free memory before the first sharer is unknown, all used memory is attributed to sharers.
  static std::uint64_t part_of(std::uint64_t free, std::uint64_t total, const device_share& part) noexcept {
    if (part.sharers == 1) return free;
    return std::min(free, (part.free_bytes ? part.free_bytes : total) / part.sharers);
  }
  /// Enables access to the other device's memory, if their interconnect allows it.
  static bool opens(const driver& from, const driver& to) {
    const api& cu = *from.cu;
    int can = 0;
    if (cu.cuDeviceCanAccessPeer(&can, from.id, to.id) != CUDA_SUCCESS || !can) return false;
    const current_context current(cu, from.context);
    const CUresult status = cu.cuCtxEnablePeerAccess(to.context, 0);
    return status == CUDA_SUCCESS || status == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
  }

  /// A reserved address range without memory.
  struct reserved {
    explicit reserved(std::uint64_t n) : bytes(n) {
      first = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (first == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), "addresses for a device's memory");
    }
    reserved(const reserved&) = delete;
    ~reserved() { munmap(first, bytes); }
    void* first;
    const std::uint64_t bytes;
  };
  struct block {
    CUdeviceptr at = 0;
    registered_memory noted;
  };

  const std::shared_ptr<driver> driver_;
  properties about_;
  std::optional<reserved> addresses_;  // of the memory, if there is no pool
  std::mutex blocks_mutex_;
  std::map<const std::byte*, block> blocks_, imported_;
  std::map<const std::byte*, registered_memory> borrowed_;
  std::byte* first_ = nullptr;
  mutable std::once_flag is_exported_;
  mutable std::vector<std::byte> token_;
  std::byte* host_memory_ = nullptr;  // host and kernels use the same address
  registered_memory noted_;
  mutable std::mutex peers_mutex_;
  mutable std::map<CUcontext, bool> peers_;
  std::mutex kernels_mutex_;
  std::map<const kernel_code*, std::shared_ptr<const compiled_kernel>> kernels_;
  stream_registry streams_;
};

namespace {

opened_device open(const std::shared_ptr<const api>& cu, const std::shared_ptr<const compiler>& nvrtc, int ordinal,
                   const options& o, const device_share& part) {
  opened_device f;
  f.share = part;
  f.name = fmt::format("CUDA device {}", ordinal);
  f.remedy = "look with nvidia-smi whether another program has the device, and whether it works";
  try {
    device_details is = query_details(*cu, *nvrtc, ordinal);
    f.name = is.name;
    if (!is.reason.empty()) {
      f.reason = std::move(is.reason), f.remedy = std::move(is.remedy);
      return f;
    }
    auto d = std::make_shared<driver>(cu, is.id);
    d->nvrtc = nvrtc;
    d->name = f.name;
    d->cache = kernel_cache(o.cache);
    d->check_kernels = o.check ? index_checks::on : index_checks::off;
    d->architecture = std::move(is.architecture);
    d->identity = fmt::format("{}, {}, driver of CUDA {}, NVRTC of CUDA {}", f.name, d->architecture,
                              version_text(cu->version), version_text(nvrtc->version));
    d->most_pitch = attribute(*cu, is.id, CU_DEVICE_ATTRIBUTE_MAX_PITCH);
    // Devices since 2017 allow more than the default 48 KiB per group, on request.
    d->most_local_bytes = std::max(attribute(*cu, is.id, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
                                   attribute(*cu, is.id, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    if (o.flags) d->test_flags();
    f.is = std::make_unique<cuda_device>(std::move(d), o, part);
    f.remedy.clear();
  } catch (const error& e) {
    f.reason = e.why().empty() ? e.sentence() : fmt::format("{}: {}", e.sentence(), e.why());
    if (!e.what_to_try().empty()) f.remedy = e.what_to_try();
  }
  return f;
}

}  // namespace

std::vector<opened_device> find(const options& o) {
  std::vector<opened_device> all;
  const auto none = [&](std::string name, const error& e) {
    all.push_back({std::move(name), nullptr,
                   e.why().empty() ? e.sentence() : fmt::format("{}: {}", e.sentence(), e.why()), e.what_to_try()});
  };
  std::shared_ptr<const api> cu;
  int count = 0;
  try {
    cu = api::load(o.library);
    count = count_devices(*cu);
  } catch (const error& e) {
    none("CUDA", e);
    return all;
  }
  try {
    const auto nvrtc = o.compiler.empty() ? compiler::find(cu->version) : compiler::load(o.compiler);
    unsigned usable = 0;
    for (int i = 0; i < count && usable < o.at_most; ++i) {
      const device_selection* const choice = selection_of(o.only, static_cast<unsigned>(i));
      if (!choice) continue;
      all.push_back(open(cu, nvrtc, i, o, choice->share));
      usable += all.back().is != nullptr;
    }
  } catch (const error& e) {
    // The devices exist, but none is usable: an entry for each that would have been opened, with the failure.
    for (int i = 0; i < count && all.size() < o.at_most; ++i) {
      if (!selection_of(o.only, static_cast<unsigned>(i))) continue;
      CUdevice id = 0;
      none(cu->cuDeviceGet(&id, i) == CUDA_SUCCESS ? name_of_device(*cu, id) : fmt::format("CUDA device {}", i), e);
    }
  }
  return all;
}

}  // namespace stretto::device::cuda
