// cuda_discovery.hpp - queries a device without opening it: opening takes half a gigabyte of its memory and a tenth
// of a second.
//
// Threads     any.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/cuda/cuda_api.hpp"
#include "device/cuda/cuda_compiler.hpp"
#include "device/cuda/cuda_options.hpp"

namespace stretto::device::cuda {

struct device_details {
  CUdevice id = 0;
  std::string name;
  std::string architecture;    // the architecture that its kernels are compiled for
  std::string reason, remedy;  // set if the device cannot be used
};

/// Throws K43.
device_details query_details(const api& cu, const compiler& nvrtc, int ordinal);

int attribute(const api& cu, CUdevice id, int which);
std::string name_of_device(const api& cu, CUdevice id);
/// "0000:65:00.0"; empty if the driver does not report it.
std::string pci_of(const api& cu, CUdevice id);

/// The number of visible devices. Throws K42 if there is none.
int count_devices(const api& cu);

/// See backend::list_visible and backend::measure.
std::vector<visible_device> list_visible(const options& o);
measured_memory measure(const options& o);

}  // namespace stretto::device::cuda
