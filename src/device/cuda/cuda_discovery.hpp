// cuda_discovery.hpp - what the driver says of a device before it is opened, which takes half a gigabyte of its memory and a tenth of a second.
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
  std::string architecture;    // that its kernels are compiled for
  std::string reason, remedy;  // where it cannot be used
};

/// Throws K43.
device_details query_details(const api& cu, const compiler& nvrtc, int ordinal);

int attribute(const api& cu, CUdevice id, int which);
std::string name_of_device(const api& cu, CUdevice id);

/// How many devices are visible. Throws K42 where none is.
int count_devices(const api& cu);

/// As backend::list_visible and backend::measure say.
std::vector<visible_device> list_visible(const options& o);
measured_memory measure(const options& o);

}  // namespace stretto::device::cuda
