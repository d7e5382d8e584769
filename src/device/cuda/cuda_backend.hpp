// cuda_backend.hpp - the backend for NVIDIA's devices of this machine.
//
// Threads     pure.
#pragma once

#include "device/backend.hpp"

namespace stretto::device {

backend cuda_backend();

}  // namespace stretto::device
