// opencl_discovery.hpp - lists the devices of OpenCL drivers, and queries a device before it is opened.
//
// Threads     any.
#pragma once

#include <string>
#include <vector>

#include "device/opencl/opencl_api.hpp"
#include "device/opencl/opencl_options.hpp"

namespace stretto::device::opencl {

/// Throws K41.
template <class T>
T number(const api& cl, cl_device_id id, cl_device_info what) {
  T value{};
  check(cl.clGetDeviceInfo(id, what, sizeof value, &value, nullptr), "clGetDeviceInfo");
  return value;
}
std::string text(const api& cl, cl_device_id id, cl_device_info what);
/// "0000:65:00.0"; empty if the driver does not report it.
std::string pci_of(const api& cl, cl_device_id id);
/// "?" if the driver returns no text.
std::string platform_text(const api& cl, cl_platform_id p, cl_platform_info what);

struct platform_device {
  cl_platform_id platform;
  cl_device_id id;
};
/// All devices, in the order of the drivers. `status`: the loader's status if it knows no driver. Throws K41.
std::vector<platform_device> all_devices(const api& cl, cl_int& status);

/// Why a device cannot be used; empty if it can. Throws K41.
struct unusable_reason {
  std::string reason, remedy;
};
unusable_reason unusable_reason_of(const api& cl, cl_device_id id);

/// See backend::list_visible. Each part of a partitioned device has its own number and identity.
std::vector<visible_device> list_visible(const options& o);

}  // namespace stretto::device::opencl
