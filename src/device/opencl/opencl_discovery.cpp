#include "device/opencl/opencl_discovery.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "device/device_affinity.hpp"

namespace stretto::device::opencl {

namespace {

// Constants of extensions, which headers of OpenCL 1.2 may lack.
constexpr cl_device_info uuid_khr = 0x106a, pci_khr = 0x410f, pci_bus_nv = 0x4008, pci_slot_nv = 0x4009,
                         pci_domain_nv = 0x400a, topology_amd = 0x4037;

/// Whether a CL_DEVICE_VERSION such as "OpenCL 1.1 Mesa 20.3" is older than 1.2.
bool is_before_1_2(const std::string& version) {
  unsigned major = 0, minor = 0;
  return std::sscanf(version.c_str(), "OpenCL %u.%u", &major, &minor) == 2 && (major < 1 || (major == 1 && minor < 2));
}

/// A property that a driver may not know.
template <class T>
bool ask(const api& cl, cl_device_id id, cl_device_info what, T& value) {
  std::size_t bytes = 0;
  return cl.clGetDeviceInfo(id, what, sizeof value, &value, &bytes) == CL_SUCCESS && bytes == sizeof value;
}

}  // namespace

std::string pci_of(const api& cl, cl_device_id id) {
  struct {
    cl_uint domain = 0, bus = 0, device = 0, function = 0;
  } khr;
  struct {
    cl_uint type = 0;
    cl_char unused[17] = {};
    cl_uchar bus = 0, device = 0, function = 0;
  } amd;
  if (!ask(cl, id, pci_khr, khr)) {
    if (cl_uint slot = 0; ask(cl, id, pci_bus_nv, khr.bus) && ask(cl, id, pci_slot_nv, slot)) {
      khr.device = slot >> 3, khr.function = slot & 7;
      ask(cl, id, pci_domain_nv, khr.domain);
    } else if (ask(cl, id, topology_amd, amd) && amd.type == 1) {
      khr.bus = amd.bus, khr.device = amd.device, khr.function = amd.function;
    } else {
      return {};
    }
  }
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", khr.domain, khr.bus, khr.device, khr.function);
}

std::string text(const api& cl, cl_device_id id, cl_device_info what) {
  std::size_t bytes = 0;
  check(cl.clGetDeviceInfo(id, what, 0, nullptr, &bytes), "clGetDeviceInfo");
  std::string value(bytes, '\0');
  check(cl.clGetDeviceInfo(id, what, bytes, value.data(), nullptr), "clGetDeviceInfo");
  while (!value.empty() && (value.back() == '\0' || value.back() == ' ')) value.pop_back();
  return value;
}

std::string platform_text(const api& cl, cl_platform_id p, cl_platform_info what) {
  std::size_t bytes = 0;
  if (cl.clGetPlatformInfo(p, what, 0, nullptr, &bytes) != CL_SUCCESS) return "?";
  std::string value(bytes, '\0');
  cl.clGetPlatformInfo(p, what, bytes, value.data(), nullptr);
  while (!value.empty() && value.back() == '\0') value.pop_back();
  return value;
}

std::vector<platform_device> all_devices(const api& cl, cl_int& status) {
  std::vector<platform_device> all;
  cl_uint count = 0;
  status = cl.clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(status == CL_SUCCESS ? count : 0);
  if (!platforms.empty()) check(cl.clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  for (const cl_platform_id p : platforms) {
    cl_uint devices = 0;
    if (cl.clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) != CL_SUCCESS) continue;
    std::vector<cl_device_id> ids(devices);
    check(cl.clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, devices, ids.data(), nullptr), "clGetDeviceIDs");
    for (const cl_device_id id : ids) all.push_back({p, id});
  }
  return all;
}

unusable_reason unusable_reason_of(const api& cl, cl_device_id id) {
  if (const std::string version = text(cl, id, CL_DEVICE_VERSION); is_before_1_2(version))
    return {fmt::format("it has {}, and 1.2 is the least that is used", version),
            "install a newer driver of the device"};
  if (!number<cl_bool>(cl, id, CL_DEVICE_COMPILER_AVAILABLE))
    return {"its driver has no compiler for kernels",
            "install a driver that is for computing, and not for an embedded profile"};
  if (!number<cl_bool>(cl, id, CL_DEVICE_AVAILABLE))
    return {"the driver says that it is not available", "free the device for computing, or ask who administers it"};
  return {};
}

std::vector<visible_device> list_visible(const options& o) {
  std::vector<visible_device> all;
  const auto cl = api::load(o.library);
  cl_int status = CL_SUCCESS;
  unsigned number_of_device = 0;
  for (const auto& [platform, id] : all_devices(*cl, status)) {
    const unsigned first = number_of_device++ * o.parts;
    if (!unusable_reason_of(*cl, id).reason.empty()) continue;
    if (o.parts > 1 && number<cl_uint>(*cl, id, CL_DEVICE_MAX_COMPUTE_UNITS) < o.parts) continue;
    const std::string name = text(*cl, id, CL_DEVICE_NAME), driver = platform_text(*cl, platform, CL_PLATFORM_NAME),
                      pci = pci_of(*cl, id);
    std::string identity(16, '\0');
    if (cl->clGetDeviceInfo(id, uuid_khr, identity.size(), identity.data(), nullptr) != CL_SUCCESS)
      identity = pci.empty() ? identity_by_number(driver + "\n" + name, first) : pci;
    const std::string kind = fmt::format("{}, type {}", driver, number<cl_device_type>(*cl, id, CL_DEVICE_TYPE));
    for (unsigned part = 0; part < o.parts; ++part)
      all.push_back({first + part, fmt::format("{} ({})", name, driver),
                     fmt::format("{}\n{} of {}", identity, part, o.parts), kind, is_near_cores(pci)});
  }
  return all;
}

}  // namespace stretto::device::opencl
