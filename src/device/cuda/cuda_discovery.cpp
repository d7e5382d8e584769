#include "device/cuda/cuda_discovery.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <vector>

#include "device/device_affinity.hpp"

namespace stretto::device::cuda {

std::string pci_of(const api& cu, CUdevice id) {
  char text[32] = "";
  if (!cu.cuDeviceGetPCIBusId || cu.cuDeviceGetPCIBusId(text, sizeof text, id) != CUDA_SUCCESS) return {};
  return text;
}

namespace {

std::string identity_of(const api& cu, CUdevice id, const std::string& pci, int ordinal) {
  CUuuid uuid;
  if (cu.cuDeviceGetUuid && cu.cuDeviceGetUuid(&uuid, id) == CUDA_SUCCESS)
    return {reinterpret_cast<const char*>(uuid.bytes), sizeof uuid.bytes};
  return pci.empty() ? identity_by_number(name_of_device(cu, id), static_cast<unsigned>(ordinal)) : pci;
}

/// The primary contexts of devices, which the whole process shares.
struct open_contexts {
  explicit open_contexts(std::shared_ptr<const api> functions) : cu(std::move(functions)) {}
  open_contexts(const open_contexts&) = delete;
  ~open_contexts() {
    for (const CUdevice id : ids) cu->cuDevicePrimaryCtxRelease(id);
  }
  const std::shared_ptr<const api> cu;
  std::vector<CUdevice> ids;
};

/// 0: unknown.
std::uint64_t free_of(open_contexts& open, unsigned number) {
  const api& cu = *open.cu;
  CUdevice id = 0;
  CUcontext context = nullptr;
  if (cu.cuDeviceGet(&id, static_cast<int>(number)) != CUDA_SUCCESS ||
      cu.cuDevicePrimaryCtxRetain(&context, id) != CUDA_SUCCESS)
    return 0;
  open.ids.push_back(id);
  const current_context current(cu, context);
  std::size_t free = 0, total = 0;
  return cu.cuMemGetInfo(&free, &total) == CUDA_SUCCESS ? free : 0;
}

}  // namespace

int attribute(const api& cu, CUdevice id, int which) {
  int value = 0;
  cu.check(cu.cuDeviceGetAttribute(&value, which, id), "cuDeviceGetAttribute");
  return value;
}

std::string name_of_device(const api& cu, CUdevice id) {
  char name[256] = "?";
  cu.cuDeviceGetName(name, sizeof name - 1, id);
  return name;
}

int count_devices(const api& cu) {
  int count = 0;
  cu.check(cu.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (count) return count;
  throw error("K42", "the CUDA driver has no device")
      .remedy("check with nvidia-smi; CUDA_VISIBLE_DEVICES may hide devices, and containers need --gpus all");
}

device_details query_details(const api& cu, const compiler& nvrtc, int ordinal) {
  device_details d;
  cu.check(cu.cuDeviceGet(&d.id, ordinal), "cuDeviceGet");
  d.name = name_of_device(cu, d.id);
  if (!attribute(cu, d.id, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING)) {
    d.reason = "its addresses are not told from the host's";
    d.remedy = "none: a device with unified addresses is needed (of 2010 or later, on a system of 64 bits)";
    return d;
  }
  const int capability = 10 * attribute(cu, d.id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                         attribute(cu, d.id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  d.architecture = nvrtc.architecture_for(capability);
  if (!d.architecture.empty()) return d;
  d.reason = fmt::format("it has compute capability {}.{}; {} of CUDA {} compiles for {}.{} and later", capability / 10,
                         capability % 10, nvrtc.library, version_text(nvrtc.version), nvrtc.architectures.front() / 10,
                         nvrtc.architectures.front() % 10);
  d.remedy = "install NVRTC of an older CUDA beside it, and set CUDA_HOME to its folder";
  return d;
}

std::vector<visible_device> list_visible(const options& o) {
  std::vector<visible_device> all;
  const auto cu = api::load(o.library);
  const auto nvrtc = o.compiler.empty() ? compiler::find(cu->version) : compiler::load(o.compiler);
  for (int n = 0, count = count_devices(*cu); n < count; ++n) {
    const device_details d = query_details(*cu, *nvrtc, n);
    const std::string pci = pci_of(*cu, d.id);
    if (d.reason.empty())
      all.push_back({static_cast<unsigned>(n), d.name, identity_of(*cu, d.id, pci, n), "cuda", is_near_cores(pci)});
  }
  return all;
}

measured_memory measure(const options& o) {
  auto open = std::make_shared<open_contexts>(api::load(o.library));
  measured_memory m;
  for (const device_selection& c : *o.only) m.free_bytes.push_back(free_of(*open, c.number));
  m.held = std::move(open);
  return m;
}

}  // namespace stretto::device::cuda
