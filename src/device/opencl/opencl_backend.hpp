// opencl_backend.hpp - the backend for the devices of this machine's OpenCL drivers.
//
// Threads     pure.
#pragma once

#include "device/backend.hpp"

namespace stretto::device {

backend opencl_backend();

}  // namespace stretto::device
