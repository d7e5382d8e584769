// opencl_backend.hpp - the devices of the OpenCL drivers of this machine.
//
// Threads     pure.
#pragma once

#include "device/backend.hpp"

namespace stretto::device {

backend opencl_backend();

}  // namespace stretto::device
